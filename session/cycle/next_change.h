// The next time at which time alone may change what a cycle decides: a minimum run time ends, a
// gang has been below its minimum for too long, or has waited long enough to move others or to get
// a reservation.
#pragma once

#include "framework/time.h"
#include "session/cycle/session.h"

namespace trellis {

// The first such moment after the session's now; kNoTime: none. It may be earlier than necessary,
// never later. Cost: O(gangs), and O(pods) where some queue has a minimum run time.
TimeUs next_change(const Session& session);

}  // namespace trellis
