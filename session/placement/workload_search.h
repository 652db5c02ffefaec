// Finds places for a workload's PodSets: a number of pods for each domain, for all pods or none.
//
// Profile `kueue` gives Kueue's own answer (topology/kueue_placement.h), PodSet after PodSet.
// Profile `trellis` starts from that answer if it keeps to the request, looks for one with fewer
// domains where there may be one, and goes back to an earlier PodSet when a later one finds no
// place.
// Guarantees (trellis): it admits whenever Kueue's valid answer does, never with more domains on
// any level; every pod is on a node that takes it; a leader is where it may run.
// Cost: a PodSet that Kueue's answer serves with the fewest domains there can be O(what the answer
// looks at); else a few passes over the domains of its level.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "framework/reason.h"
#include "session/placement/placement_context.h"
#include "session/placement/unit_choices.h"
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

class WorkloadSearch {
 public:
  explicit WorkloadSearch(PlacementContext& context) : context_(context), choices_(context) {}

  // On success the slots are in the statement. On failure it is as it was. `within`: only inside
  // this domain, for the only PodSet with a topology or for all of one topology.
  bool place(const Workload& workload, std::span<const FlavoredPodSet> pod_sets, FitMode mode,
             WorkloadPlace& place, DomainId within = {});

  // Why the last search found no place. REQUIRES: the last search failed, its workload still exists
  // and the statement is as it was. Cost: the counts of the level, and the nodes of the class once
  // a cycle.
  Reason failure();

 private:
  bool place_all(FitMode mode);
  bool place_in_order(FitMode mode);
  // Kueue's answers for all units; false: some unit has none that keeps to the request.
  bool find_kueues(FitMode mode);
  std::vector<int32_t> domains_used(std::span<const UnitPlace> places) const;
  bool search_back(FitMode mode);
  void take(const UnitPlace& place, FitMode mode);
  void collect(WorkloadPlace& place) const;

  PlacementContext& context_;
  UnitChoices choices_;
  std::vector<WorkloadUnit> units_;
  std::vector<UnitPlace> places_;  // of the units, in order
  std::vector<UnitPlace> kueues_;  // Kueue's for the same units
  DomainId within_;
  const Workload* workload_ = nullptr;  // that was searched for last
  FitMode mode_ = FitMode::Now;
  size_t furthest_ = 0;        // unit that found no place
  std::string misconfigured_;  // why it was not even tried
};

}  // namespace trellis
