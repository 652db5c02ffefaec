// The gang search: places pods of a gang, all or none, in the statement.
//
// The gang's pods become units (placement_unit.h) that a search with backtracking places
// (unit_search.h). Where pods that differ leave a choice of which of them make up the number,
// earlier ones are preferred.
// Guarantees: NoFit is proved; a search that exhausted its work returns BudgetExhausted. For pods
// without terms about others, the first place is tried whatever work is left.
// Cost: equal pods O(pods x log nodes of the group); else what its work allows (search_budget.h).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "session/placement/demand_search.h"
#include "session/placement/gang_needs.h"
#include "session/placement/placement_context.h"
#include "session/placement/placement_unit.h"
#include "session/placement/pod_rows.h"

namespace trellis {

class GangSearch {
 public:
  // `mode`: the only one to place in; unset: now, else promised.
  explicit GangSearch(PlacementContext& context, std::optional<FitMode> mode = std::nullopt)
      : context_(context), demand_(context, mode) {}
  GangSearch(const GangSearch&) = delete;
  GangSearch& operator=(const GangSearch&) = delete;

  // Sets the work of all further searches together; limits.search_budget unless it is set.
  void set_work(int64_t work) { demand_.budget().refill(work); }
  int64_t work_left() { return demand_.budget().left(); }
  bool exhausted() const { return demand_.exhausted(); }
  std::optional<FitMode> mode() const { return demand_.mode(); }
  // Sets the mode of further searches, as in the constructor.
  void set_mode(std::optional<FitMode> mode) { demand_.set_mode(mode); }

  // Places the waiting pods that are needed; on anything but Placed the statement is as it was.
  SearchResult place(GangId gang, const GangNeed& need);
  // The same for one pod of a gang without subgroups and segments; `placed` are the nodes of the
  // gang's other pods.
  SearchResult place_one(GangId gang, PodId pod, std::span<const NodeId> placed);

  // The same for pods of the gang that this statement has evicted: all of them.
  SearchResult place_again(GangId gang, std::span<const PodId> pods);

  // The failure of the last search that did not place: where it came furthest.
  const std::optional<SearchFailure>& failure() const { return demand_.failure(); }

 private:
  std::optional<SearchResult> place_equal(GangId gang, const GangNeed& need);
  void add_later(GangId gang, std::span<const PodId> waiting, size_t needed);
  // Places equal pods without inner structure: the one unit that is prepared.
  SearchResult place_row(GangId gang);
  SearchResult place_leaves(GangId gang, std::span<const LeafPods> leaves);

  PlacementContext& context_;
  DemandSearch demand_;     // kept for its memory, like the unit
  PlacementUnit one_unit_;  // of equal pods, one row
};

}  // namespace trellis
