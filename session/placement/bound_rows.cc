#include "session/placement/bound_rows.h"

#include <algorithm>

namespace trellis {

NodeUsers who_may_use(std::span<const BoundRow> rows, SearchBudget& budget) {
  NodeUsers users;
  bool same = std::all_of(rows.begin(), rows.end(), [&](const BoundRow& bound) {
    return bound.nodes.data() == rows.front().nodes.data() &&
           bound.nodes.size() == rows.front().nodes.size();
  });
  if (same) return users;
  for (const BoundRow& bound : rows) {
    if (!budget.spend(2 * bound.nodes.size())) return users;
  }
  for (size_t row = 0; row < rows.size(); ++row) {
    for (NodeId node : rows[row].nodes) {
      uint64_t& hash = users[node.value];
      hash = (hash ^ (row + 1)) * 0xff51afd7ed558ccdULL;
    }
  }
  return users;
}

}  // namespace trellis
