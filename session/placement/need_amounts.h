// The amounts that a gang's next need takes of its queue.
#pragma once

#include "framework/queue_amounts.h"
#include "session/placement/gang_needs.h"
#include "session/placement/placement_context.h"

namespace trellis {

// A lower bound: where some of several waiting pods would do, the smallest, for each resource by
// itself.
QueueAmounts need_amounts(const PlacementContext& context, GangId gang, const GangNeed& need);

// The same of what it would be tried with first: the rest of its minimum, else the next pods above
// it. Nothing when no pod waits.
QueueAmounts next_amounts(const PlacementContext& context, GangId gang);

}  // namespace trellis
