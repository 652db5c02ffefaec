// New places for slots on nodes that failed, inside the domain and segments that were required.
#pragma once

#include <string>

#include "session/cycle/session.h"

namespace trellis {

// Moves what the workload lost: slots on nodes that are gone, not Ready or tainted, and that none
// of its pods stands on any more. True: nothing was lost, or all of it has a place; `failed` names
// the nodes otherwise, and nothing was moved.
bool replace_lost_slots(Session& session, WorkloadId workload, std::string& failed);

// Cheap: false where nothing is lost for sure.
bool may_have_lost_slots(Session& session, WorkloadId workload);

// Gives a workload whose admission checks are Ready now the topology that had to wait for them.
bool place_delayed(Session& session, WorkloadId workload);

}  // namespace trellis
