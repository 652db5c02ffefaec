// How near a row of linked pods came: counts alone say too much of it.
#pragma once

#include <cstdint>
#include <span>

#include "session/placement/placement_context.h"
#include "session/placement/search_row.h"

namespace trellis {

// Places as many pods of the row as can be found room for, and leaves them in the statement, so
// that what nodes say then is why not one more. Gives their number. Cost: some searches of short
// budget.
int64_t place_most(PlacementContext& context, const SearchRow& row, std::span<const NodeId> nodes);

}  // namespace trellis
