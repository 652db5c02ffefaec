// The amounts that a gang's next need takes of its queue.
#pragma once

#include "framework/queue_amounts.h"
#include "session/placement/gang_needs.h"
#include "session/placement/placement_context.h"

namespace trellis {

// A lower bound: where there is a choice among several waiting pods, the smallest, for each
// resource by itself.
QueueAmounts need_amounts(const PlacementContext& context, GangId gang, const GangNeed& need);

// The amounts of the need that would be tried first: the rest of the gang's minimum, else the next
// pods above it. Zero when no pod waits.
QueueAmounts next_amounts(const PlacementContext& context, GangId gang);

}  // namespace trellis
