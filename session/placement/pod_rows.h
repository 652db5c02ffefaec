// Rows: waiting pods, equal ones together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "framework/ids.h"
#include "framework/node_state.h"
#include "framework/plugin.h"
#include "session/placement/search_budget.h"
#include "session/snapshot/snapshot.h"

namespace trellis {

class PlacementContext;

struct RowPods {
  PodClassId pod_class;
  std::vector<PodId> pods;  // in the order to place them
};

// Rows in order of their first pod.
std::vector<RowPods> group_rows(const Snapshot& snapshot, std::span<const PodId> pods);

// Ways to choose `need` pods of rows of these sizes, as counts per row, the most of early rows
// first; at most `most` ways.
std::vector<std::vector<int64_t>> row_choices(std::span<const RowPods> rows, int64_t need,
                                              size_t most);

// A row of the gang search: pods of one class.
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
