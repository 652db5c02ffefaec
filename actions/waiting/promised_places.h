// The places that a gang's waiting pods were promised in an earlier cycle.
#pragma once

#include <string_view>

#include "session/cycle/session.h"

namespace trellis {

// Places all of the gang's promised pods on the nodes that were promised to them, in the session's
// statement: now, else promised once more. False, and nothing is done, when that no longer works,
// does not give the gang its minimum, or leaves a domain that the gang or a part of it requires.
bool place_as_promised(PlacementContext& context, GangId gang);

// Carries out the promises of the cycle before, before anything new is decided: else other gangs
// take the room, and it is promised again and again. Commits what can be kept in the name of the
// first action that places anything; the actions after it, as a rule, have nothing left to commit.
void keep_promises(Session& session, std::string_view action);

}  // namespace trellis
