// Puts consecutive ranks next to each other: decides which of equal pods takes which of their
// places.
//
// Cost: O(pods) where they already are in this order, else that and placing them again.
#pragma once

#include <span>

#include "session/placement/placement_context.h"
#include "session/placement/placement_unit.h"

namespace trellis {

// Deals the places of each row out to its pods in their order, so that the pods of a node, and of
// domains where pods of different sizes share them, follow each other.
// REQUIRES: the units' pods, and nothing else, were placed since `start`.
void keep_ranks_together(PlacementContext& context, Statement::Checkpoint start,
                         std::span<const PlacementUnit> units);

}  // namespace trellis
