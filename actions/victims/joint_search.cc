#include "actions/victims/joint_search.h"

#include <map>
#include <set>
#include <utility>

#include "session/placement/arrangement_search.h"

namespace trellis {

std::vector<LeafPods> leaves_of(const PlacementContext& context, std::span<const PodId> pods) {
  std::map<int32_t, std::vector<PodId>> of_leaf;
  for (PodId pod : pods) of_leaf[context.snapshot().key(pod).subgroup].push_back(pod);
  std::vector<LeafPods> leaves;
  for (const auto& [subgroup, own] : of_leaf) {
    leaves.push_back({subgroup, group_rows(context.snapshot(), own)});
  }
  return leaves;
}

SearchResult place_together(PlacementContext& context, SearchBudget& budget,
                            std::span<const GangPods> gangs) {
  std::vector<PlacementUnit> units;
  std::set<PodClassId> classes;
  for (const GangPods& one : gangs) {
    for (PodId pod : one.pods) classes.insert(context.snapshot().key(pod).pod_class);
    auto first = static_cast<int32_t>(units.size());
    std::vector<LeafPods> leaves = leaves_of(context, one.pods);
    for (PlacementUnit& unit : make_units(context, one.gang, leaves, SegmentForm::Units)) {
      if (unit.parent >= 0) unit.parent += first;
      units.push_back(std::move(unit));
    }
  }
  budget.set_classes(classes.size());
  if (ArrangementSearch(context, budget, FitMode::Future).place(units)) return SearchResult::Placed;
  return budget.exhausted() ? SearchResult::BudgetExhausted : SearchResult::NoFit;
}

}  // namespace trellis
