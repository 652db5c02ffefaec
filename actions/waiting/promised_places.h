// The places that waiting pods were promised in an earlier cycle.
#pragma once

#include <string_view>

#include "session/cycle/session.h"

namespace trellis {

// Carries out the promises of the cycle before, before anything new is decided: else other gangs
// take the room, and it is promised again and again. Commits what can be kept in the name of the
// first action that places anything; the actions after it, as a rule, have nothing left to commit.
// Then room is kept for the spares of gangs.
void keep_promises(Session& session, std::string_view action);

}  // namespace trellis
