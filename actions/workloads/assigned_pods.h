// Pods of admitted workloads take the slots that are theirs: by rank where they bear one, never
// more in a domain than it was assigned.
#pragma once

#include <string_view>

#include "session/cycle/session.h"

namespace trellis {

// Binds what waits and has a slot, in the name of an action.
void place_assigned_pods(Session& session, std::string_view action);

}  // namespace trellis
