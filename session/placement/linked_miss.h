// How many pods of a linked row could be placed: its counts alone are too high.
#pragma once

#include <cstdint>
#include <span>

#include "session/placement/placement_context.h"
#include "session/placement/search_row.h"

namespace trellis {

// Places as many pods of the row as find room, leaves them in the statement, and returns their
// number. The verdicts of nodes then explain why not one more pod fits. Cost: some searches of
// short budget.
int64_t place_most(PlacementContext& context, const SearchRow& row, std::span<const NodeId> nodes);

}  // namespace trellis
