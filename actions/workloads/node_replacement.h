// New places for slots on nodes that failed, inside the domain and segments that were required.
#pragma once

#include <string>

#include "session/cycle/session.h"

namespace trellis {

// Moves the slots that the workload lost: slots on nodes that are gone, not Ready or tainted, and
// on which none of its pods is any more. True: nothing was lost, or all of it has a new place.
// False: `failed` names the nodes, and nothing was moved.
bool replace_lost_slots(Session& session, WorkloadId workload, std::string& failed);

// Cheap: false only where certainly nothing is lost.
bool may_have_lost_slots(PlacementContext& context, WorkloadId workload);

// Gives a workload whose admission checks are Ready now the topology assignment that had to wait
// for them.
bool place_delayed(Session& session, WorkloadId workload);

}  // namespace trellis
