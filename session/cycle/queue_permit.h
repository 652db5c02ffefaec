// Whether a gang's queue lets it have what it takes. Where no plugin has rules for queues, or the
// gang stands in none, it does.
#pragma once

#include "framework/queue_amounts.h"
#include "framework/reason.h"
#include "session/cycle/session.h"

namespace trellis {

// Why the gang may not take `need` on top of what its queue has; code None when it may.
inline Reason may_take(const Session& session, GangId gang, const QueueAmounts& need) {
  const QueueRules* rules = session.hooks().queue_rules;
  bool bound = rules != nullptr && session.snapshot().queues().queue_of_gang()[gang].valid();
  return bound ? rules->may_take(gang, need) : Reason();
}

// The same once the gang has taken it.
inline Reason may_keep(const Session& session, GangId gang) {
  const QueueRules* rules = session.hooks().queue_rules;
  bool bound = rules != nullptr && session.snapshot().queues().queue_of_gang()[gang].valid();
  return bound ? rules->may_keep(gang) : Reason();
}

}  // namespace trellis
