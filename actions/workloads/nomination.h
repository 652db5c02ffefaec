// The flavors of each PodSet, and the places of PodSets with a topology, with which a workload
// could be admitted now.
//
// Flavors are tried in the order of the quota rules, PodSet after PodSet; where the topology
// refuses the best, the next is tried in the same cycle.
// Cost: quota alone O(flavors); one search for each set of flavors that has quota.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "framework/quota_rules.h"
#include "session/cycle/session_workloads.h"
#include "session/placement/placement_context.h"
#include "session/placement/workload_search.h"

namespace trellis {

struct Nomination {
  WorkloadId workload;
  ClusterQueueId queue;
  std::vector<int32_t> counts;         // of each PodSet
  std::vector<PodSetAdmission> sets;   // without topology assignments
  std::vector<FlavoredPodSet> placed;  // PodSets whose flavor has a topology
  WorkloadPlace place;
  std::vector<QuotaAmount> amounts;  // no cell twice
  int borrowing = 0;
};

// The nomination with the flavors and counts of an admission, without places. nullopt: it is not of
// the workload's PodSets as they are, or a flavor is gone. `queue`: that it names.
std::optional<Nomination> nomination_of(const PlacementContext& context, WorkloadId workload,
                                        ClusterQueueId queue, const Admission& admission);

class Nominator {
 public:
  // The requirement that a set of flavors must meet.
  enum class Need : uint8_t {
    Fit,      // quota and room now: its slots are in the statement
    Quota,    // quota now
    Victims,  // quota now, or once others have left
  };
  using Accept = std::function<bool(const Nomination&)>;

  explicit Nominator(PlacementContext& context)
      : context_(context), search_(context), asks_(context) {}

  // Begins with a workload, with all pods of its PodSets.
  void begin(WorkloadId workload, ClusterQueueId queue);
  void set_counts(std::span<const int32_t> counts) { asks_.set_counts(counts); }

  // The first set of flavors that meets the need and is accepted (empty: any is). Its quota is not
  // taken. False: no set is, and the statement is as it was.
  bool find(Need need, Nomination& nomination, const Accept& accept = {});

  // Why the sets that were examined since begin() were refused.
  const std::vector<Reason>& reasons() const { return reasons_; }
  std::vector<Reason> take_reasons() { return std::move(reasons_); }
  WorkloadSearch& search() { return search_; }

 private:
  struct Walk {
    Need need;
    Nomination& nomination;
    const Accept& accept;
  };
  using Party = WorkloadAsks::Party;
  // One flavor for each resource group of which a party requests something.
  using PartyChoice = std::vector<FlavorOption>;

  // The choices of one party, and the nomination as it was before them.
  struct Stage {
    std::vector<PartyChoice> choices;
    size_t next = 0;
    std::vector<QuotaAmount> amounts;
    int borrowing = 0;
  };

  void give(const Party& party, const PartyChoice& choice, Nomination& nomination) const;
  bool try_all(Walk& walk);
  std::vector<PartyChoice> choices(const Party& party, const Walk& walk);
  bool is_covered(const Party& party);
  uint64_t left_out(const Party& party, const ResourceGroup& group);
  bool one_topology(const Party& party, const PartyChoice& choice);
  PodSetAdmission admission(size_t set, const PartyChoice& choice) const;
  void collect_places(Nomination& nomination) const;
  void note(Reason reason, size_t set);

  PlacementContext& context_;
  WorkloadSearch search_;
  WorkloadAsks asks_;
  WorkloadId workload_;
  ClusterQueueId queue_;
  int64_t budget_ = 0;
  std::vector<Reason> reasons_;
};

}  // namespace trellis
