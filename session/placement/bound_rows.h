// Rows that have nodes of their own, as units in different domains have.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>

#include "session/placement/pod_rows.h"

namespace trellis {

// Pods of one class and the nodes that they may be on.
struct BoundRow {
  SearchRow row;
  std::span<const NodeId> nodes;
};

// By node, as a hash: which rows may use it. Empty: all rows use the same nodes. Never iterated.
using NodeUsers = std::unordered_map<uint32_t, uint64_t>;

// Cost: O(nodes of the rows), which the budget pays for.
NodeUsers who_may_use(std::span<const BoundRow> rows, SearchBudget& budget);

}  // namespace trellis
