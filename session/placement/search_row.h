// A row of the gang search: pods of one class.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "framework/ids.h"
#include "framework/node_state.h"
#include "session/placement/search_budget.h"

namespace trellis {

class PlacementContext;

struct SearchRow {
  PodClassId pod_class;
  std::span<const PodId> pods;  // in the order to place them
};

// Rows of which the cluster takes fewest pods first.
std::vector<SearchRow> hardest_first(PlacementContext& context, std::span<const SearchRow> rows,
                                     FitMode mode, SearchBudget& budget);

// Places pods of the row on the best of `nodes`, one by one, until no node takes another or, where
// the row is linked, the budget is exhausted; returns the number placed.
size_t fill_nodes(PlacementContext& context, const SearchRow& row, std::span<const NodeId> nodes,
                  FitMode mode, SearchBudget& budget);

}  // namespace trellis
