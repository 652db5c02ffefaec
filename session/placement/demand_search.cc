#include "session/placement/demand_search.h"

#include <algorithm>
#include <set>

#include "session/placement/arrangement_search.h"
#include "session/placement/fewest_domains.h"
#include "session/placement/rank_order.h"

namespace trellis {
namespace {

constexpr size_t kTryWork = 64;  // a try by itself, whatever it examines

// Whether segments as units may have a place where segments by count have none: only as units are
// they spread over several domains, the rests of nested layers tried everywhere, and the division
// of one unit changed for another's sake.
bool may_fit_as_units(std::span<const PlacementUnit> units) {
  return std::any_of(units.begin(), units.end(), [&](const PlacementUnit& unit) {
    if (unit.segments.empty()) return false;
    return units.size() > 1 || unit.segments.size() > 1 || unit.segments.front().preferred.valid();
  });
}

// The rows of the unit itself if it has pods, else of all units below it.
std::vector<RowPods> rows_below(std::span<const PlacementUnit> units, size_t above) {
  if (!units[above].rows.empty()) return units[above].rows;
  std::vector<RowPods> rows;
  for (size_t unit = above + 1; unit < units.size(); ++unit) {
    if (!is_below(units, unit, above)) continue;
    rows.insert(rows.end(), units[unit].rows.begin(), units[unit].rows.end());
  }
  return rows;
}

}  // namespace

SearchResult DemandSearch::result(bool placed) const {
  if (placed) return SearchResult::Placed;
  return budget_.exhausted() ? SearchResult::BudgetExhausted : SearchResult::NoFit;
}

SearchResult DemandSearch::place_one(const PlacementUnit& unit) {
  budget_.set_classes(1);
  bool placed = place_units({&unit, 1});
  if (!placed) budget_.spend(kTryWork);
  return result(placed);
}

SearchResult DemandSearch::place(std::span<const RowPods* const> rows, const MakeUnits& make) {
  return result(try_all(rows, make));
}

bool DemandSearch::try_all(std::span<const RowPods* const> rows, const MakeUnits& make) {
  std::set<PodClassId> classes;
  for (const RowPods* row : rows) classes.insert(row->pod_class);
  budget_.set_classes(classes.size());
  budget_.spend(rows.size() * classes.size());
  bool plain = std::ranges::all_of(
      classes, [&](PodClassId pod_class) { return context_.fits().plain(pod_class); });
  std::vector<PlacementUnit> units = make(plain ? SegmentForm::Counted : SegmentForm::Units);
  if (place_units(units)) return true;
  if (budget_.exhausted()) return false;
  if (may_fit_as_units(units)) {
    units = make(SegmentForm::Units);
    if (place_units(units)) return true;
  }
  // With pods of different sizes, or with terms, what one unit leaves depends on how its pods are
  // placed. Of equal pods without terms counts are exactly what a domain takes; with terms, the
  // first unit may have no place only because it needs another.
  bool certain = plain && (classes.size() == 1 || search_.proved());
  if (budget_.exhausted() || units.size() == 1 || certain) return false;
  Statement::Checkpoint start = context_.statement().checkpoint();
  if (!ArrangementSearch(context_, budget_, mode_).place(units)) return false;
  FewestDomains(context_, budget_, mode_, start).improve(units);
  keep_ranks_together(context_, start, units);
  return true;
}

bool DemandSearch::place_units(std::span<const PlacementUnit> units) {
  Statement::Checkpoint start = context_.statement().checkpoint();
  if (search_.place(units)) {
    FewestDomains(context_, budget_, mode_, start).improve(units);
    keep_ranks_together(context_, start, units);
    return true;
  }
  const UnitFailure& where = search_.failure();
  failure_ = SearchFailure{units[where.unit], rows_below(units, where.unit), where};
  return false;
}

}  // namespace trellis
