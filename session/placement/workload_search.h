// Finds places for a workload's PodSets: a number of pods for each domain, for all pods or none.
//
// Profile `kueue` gives Kueue's own answer (kueue_answer.h), unit after unit. Profile `trellis`
// takes that answer where it keeps to the request and uses the fewest domains there can be; else
// the search for all demands (demand_search.h) places reserved pods, and the better one is taken.
// Guarantees (trellis): it admits whenever Kueue's valid answer does, never with more domains on
// any level, unless the pods have placement preferences; every pod is on a node that takes it; a
// leader is where it may run.
// Cost: a workload that Kueue's answer serves with the fewest domains there can be O(what the
// answer looks at); else as the search.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "framework/reason.h"
#include "session/placement/demand_search.h"
#include "session/placement/kueue_answer.h"
#include "session/placement/placement_context.h"
#include "session/placement/workload_unit.h"

namespace trellis {

// The place of a PodSet: leaves in order of path, and the nodes of its slots. In profile `kueue`,
// above single nodes, nodes may take fewer pods than the leaves are given.
struct PodSetPlace {
  FlavoredPodSet set;
  std::vector<std::pair<DomainId, int32_t>> leaves;
  std::vector<SlotFill> slots;
};

struct WorkloadPlace {
  std::vector<PodSetPlace> pod_sets;  // those with a topology
};

// A PodSet with the flavor that an admission gave it; no topology where that has none.
FlavoredPodSet flavored_pod_set(const PlacementContext& context, WorkloadId workload,
                                const Admission& admission, size_t pod_set);

// The places of the units' PodSets, in order. REQUIRES: a place for each unit.
WorkloadPlace workload_place(std::span<const WorkloadUnit> units,
                             std::span<const UnitPlace> places);
// Where the unit's pods are, which a search has placed in the statement.
UnitPlace place_of(const PlacementContext& context, const WorkloadUnit& unit,
                   const RowPods& workers, const RowPods& leader);

class WorkloadSearch {
 public:
  explicit WorkloadSearch(PlacementContext& context)
      : context_(context), answers_(context), demand_(context) {}

  // On success the slots are in the statement. On failure it is as it was. `within`: only inside
  // this domain, for the only PodSet with a topology or for all of one topology.
  bool place(const Workload& workload, std::span<const FlavoredPodSet> pod_sets, FitMode mode,
             WorkloadPlace& place, DomainId within = {});
  // The same for more pods of a unit, beside those that have places.
  std::optional<UnitPlace> place_more(const WorkloadUnit& unit, FitMode mode, DomainId within);

  // Why the last search found no place. REQUIRES: the last search failed, its workload still exists
  // and the statement is as it was. Cost: the counts of the level, and the nodes of the class once
  // a cycle.
  Reason failure();

 private:
  bool is_kueue() const;
  bool place_units();
  bool has_room();
  bool find_kueues();
  bool search_further(bool known);
  int64_t least_domains(const FlavoredPodSet& workers, int level);
  bool is_best(std::span<const WorkloadUnit> units, std::span<const UnitPlace> places);
  bool is_best(std::span<const UnitPlace> places);
  bool improves(std::span<const UnitPlace> places, std::span<const UnitPlace> others) const;
  bool have_preferences() const;
  bool place_demand();
  void take_all();

  PlacementContext& context_;
  KueueAnswers answers_;
  DemandSearch demand_;
  std::vector<WorkloadUnit> units_;
  std::vector<UnitPlace> places_;  // of the units, in order
  DomainId within_;
  const Workload* workload_ = nullptr;  // that was searched for last
  FitMode mode_ = FitMode::Now;
  size_t furthest_ = 0;        // unit that found no place
  bool exhausted_ = false;     // not everything was tried
  std::string misconfigured_;  // why it was not even tried
};

}  // namespace trellis
