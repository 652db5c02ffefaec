// One step of placing a gang, as allocate takes it: the rest of its minimum at once, or, above the
// minimum, one pod.
#pragma once

#include <cstdint>

#include "session/placement/gang_search.h"
#include "session/session.h"

namespace trellis {

struct GangStep {
  enum class Result : uint8_t {
    Placed,   // in the session's statement, not committed
    Waits,    // nothing placed; `reason` says why
    Nothing,  // no pod waits
  } result = Result::Nothing;
  ReasonCode code = ReasonCode::None;  // with Waits
  int64_t needed = 0;                  // pods that had to be placed together
};

// Whether the gang may be tried at all; code None when it may.
Reason gang_refusal(const Session& session, GangId gang);

GangStep place_next(Session& session, GangSearch& search, GangId gang);

}  // namespace trellis
