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

#include "session/placement/gang_needs.h"
#include "session/placement/placement_context.h"
#include "session/placement/placement_unit.h"
#include "session/placement/pod_rows.h"
#include "session/placement/unit_search.h"

namespace trellis {

enum class SearchResult : uint8_t { Placed, NoFit, BudgetExhausted };

// The part of the gang that found no place, when all that could be tried before it had one.
struct SearchFailure {
  PlacementUnit unit;
  std::vector<RowPods> rows;  // of the unit, and where it was to hold more, of all below it
  UnitFailure where;
};

class GangSearch {
 public:
  // `mode`: the only one to place in; unset: now, else promised.
  explicit GangSearch(PlacementContext& context, std::optional<FitMode> mode = std::nullopt)
      : context_(context),
        mode_(mode),
        budget_(context.snapshot(), context.config().limits.search_budget),
        search_(context, budget_, mode) {}
  GangSearch(const GangSearch&) = delete;
  GangSearch& operator=(const GangSearch&) = delete;

  // Sets the work of all further searches together; limits.search_budget unless it is set.
  void set_work(int64_t work) { budget_.refill(work); }
  int64_t work_left() { return budget_.left(); }
  bool exhausted() const { return budget_.exhausted(); }
  std::optional<FitMode> mode() const { return mode_; }
  // Sets the mode of further searches, as in the constructor.
  void set_mode(std::optional<FitMode> mode) {
    mode_ = mode;
    search_.set_mode(mode);
  }

  // Places the waiting pods that are needed; on anything but Placed the statement is as it was.
  SearchResult place(GangId gang, const GangNeed& need);
  // The same for one pod of a gang without subgroups and segments; `placed` are the nodes of the
  // gang's other pods.
  SearchResult place_one(GangId gang, PodId pod, std::span<const NodeId> placed);

  // The same for pods of the gang that this statement has evicted: all of them.
  SearchResult place_again(GangId gang, std::span<const PodId> pods);

  // The failure of the last search that did not place: where it came furthest.
  const std::optional<SearchFailure>& failure() const { return failure_; }

 private:
  std::optional<SearchResult> place_equal(GangId gang, const GangNeed& need);
  // Places equal pods without inner structure: the one unit that is prepared.
  SearchResult place_row(GangId gang);
  bool place_leaves(GangId gang, std::span<const LeafPods> leaves);
  bool place_units(std::span<const PlacementUnit> units);

  PlacementContext& context_;
  std::optional<FitMode> mode_;
  SearchBudget budget_;
  UnitSearch search_;       // kept for its memory, like the unit
  PlacementUnit one_unit_;  // of equal pods, one row
  std::optional<SearchFailure> failure_;
};

}  // namespace trellis
