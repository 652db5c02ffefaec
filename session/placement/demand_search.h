// Places the units of a demand, all or none: of a gang, or of a workload whose pods come later.
//
// First the units as they are (unit_search.h), with segments counted where counts are exact; then
// each segment as a unit; then every arrangement of pods that differ, or that have terms.
// Guarantees: on anything but Placed the statement is as it was; NoFit is proved. For pods without
// terms about others, the first place is tried whatever work is left.
// Cost: equal pods O(pods x log nodes of the group); else what its work allows (search_budget.h).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "session/placement/placement_context.h"
#include "session/placement/placement_unit.h"
#include "session/placement/unit_search.h"

namespace trellis {

enum class SearchResult : uint8_t { Placed, NoFit, BudgetExhausted };

// The part of the demand that found no place, when all that could be tried before it had one.
struct SearchFailure {
  PlacementUnit unit;
  std::vector<RowPods> rows;  // of the unit, and where it was to hold more, of all below it
  UnitFailure where;
};

class DemandSearch {
 public:
  using MakeUnits = std::function<std::vector<PlacementUnit>(SegmentForm)>;

  // `mode`: the only one to place in; unset: now, else promised.
  explicit DemandSearch(PlacementContext& context, std::optional<FitMode> mode = std::nullopt)
      : context_(context),
        mode_(mode),
        budget_(context.snapshot(), context.config().limits.search_budget),
        search_(context, budget_, mode) {}
  DemandSearch(const DemandSearch&) = delete;
  DemandSearch& operator=(const DemandSearch&) = delete;

  SearchBudget& budget() { return budget_; }
  bool exhausted() const { return budget_.exhausted(); }
  std::optional<FitMode> mode() const { return mode_; }
  void set_mode(std::optional<FitMode> mode) {
    mode_ = mode;
    search_.set_mode(mode);
  }

  // `rows`: of all units. `make` makes the units, with their segments in a form.
  SearchResult place(std::span<const RowPods* const> rows, const MakeUnits& make);
  // One unit of equal pods without segments.
  SearchResult place_one(const PlacementUnit& unit);

  // The failure of the last search that did not place: where it came furthest.
  const std::optional<SearchFailure>& failure() const { return failure_; }

 private:
  bool try_all(std::span<const RowPods* const> rows, const MakeUnits& make);
  bool place_units(std::span<const PlacementUnit> units);
  SearchResult result(bool placed) const;

  PlacementContext& context_;
  std::optional<FitMode> mode_;
  SearchBudget budget_;
  UnitSearch search_;  // kept for its memory
  std::optional<SearchFailure> failure_;
};

}  // namespace trellis
