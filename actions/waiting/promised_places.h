// The places that a gang's waiting pods were promised in an earlier cycle.
#pragma once

#include <string_view>

#include "session/cycle/session.h"

namespace trellis {

// Places the gang's promised pods where they were promised to be, all of them, in the session's
// statement: now, else promised once more. False, and nothing done, when that no longer works, does
// not give the gang its minimum, or leaves a domain that the gang or a part of it requires.
bool place_as_promised(Session& session, GangId gang);

// What the cycle before promised comes before anything new: else others take the room, and it is
// promised again and again. Makes final what can be kept, in the name of the action that is the
// first to place anything; nothing in those after it, as a rule.
void keep_promises(Session& session, std::string_view action);

}  // namespace trellis
