// Whether a gang's queue allows what the gang takes. It does if no plugin has rules for queues, or
// if the gang is in no queue.
#pragma once

#include "framework/queue_amounts.h"
#include "framework/reason.h"
#include "session/placement/placement_context.h"

namespace trellis {

// Why the gang may not take `need` on top of what its queue has; code None when it may.
inline Reason may_take(const PlacementContext& context, GangId gang, const QueueAmounts& need) {
  const QueueRules* rules = context.hooks().queue_rules;
  bool bound = rules != nullptr && context.snapshot().queues().queue_of_gang()[gang].valid();
  return bound ? rules->may_take(gang, need) : Reason();
}

// Why the gang may not keep what it has taken; code None when it may.
inline Reason may_keep(const PlacementContext& context, GangId gang) {
  const QueueRules* rules = context.hooks().queue_rules;
  bool bound = rules != nullptr && context.snapshot().queues().queue_of_gang()[gang].valid();
  return bound ? rules->may_keep(gang) : Reason();
}

}  // namespace trellis
