// Places the pods of one unit in a group of nodes: all, or none of them.
//
// Guarantees: on false the statement is as it was; unless the budget is exhausted, the group does
// not take the pods.
// Cost: equal pods O(pods x log nodes of the group); else what the budget allows.
#pragma once

#include <optional>
#include <vector>

#include "framework/plugin.h"
#include "session/placement/placement_context.h"
#include "session/placement/placement_unit.h"
#include "session/placement/pod_rows.h"
#include "session/placement/search_budget.h"

namespace trellis {

std::vector<SearchRow> search_rows(const PlacementUnit& unit);

class UnitFill {
 public:
  UnitFill(PlacementContext& context, SearchBudget& budget) : context_(context), budget_(budget) {}

  // `query`: that the group is an answer to.
  bool fill(const PlacementUnit& unit, const GroupQuery& query, const NodeGroup& group);

 private:
  std::optional<bool> fill_by_preferences(const PlacementUnit& unit, const GroupQuery& query,
                                          const NodeGroup& group);
  bool fill_anyhow(const PlacementUnit& unit, const NodeGroup& group);
  bool fill_parts(const PlacementUnit& unit, const NodeGroup& group);
  bool fill_cluster(const PlacementUnit& unit, FitMode mode);

  PlacementContext& context_;
  SearchBudget& budget_;
};

}  // namespace trellis
