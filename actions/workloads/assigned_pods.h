// Binds pods of admitted workloads to the slots that are theirs: by rank where pods have one, never
// more pods in a domain than it was assigned.
#pragma once

#include <string_view>

#include "session/cycle/session.h"

namespace trellis {

// Binds the waiting pods that have a slot, in the name of `action`.
void place_assigned_pods(Session& session, std::string_view action);

}  // namespace trellis
