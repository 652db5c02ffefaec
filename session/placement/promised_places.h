// The places that a gang's waiting pods were promised in an earlier cycle.
#pragma once

#include "session/session.h"

namespace trellis {

// Places the gang's promised pods where they were promised to be, all of them, in the session's
// statement: now, else promised once more. False, and nothing done, when that no longer works or
// does not give the gang its minimum; gangs with inner structure are always searched for anew.
bool place_as_promised(Session& session, GangId gang);

}  // namespace trellis
