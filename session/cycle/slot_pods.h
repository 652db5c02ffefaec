// Pods whose places are slots of a workload: no gang's search, and no other gang's need, moves
// them. The slots are kept as long as the workload is admitted, so that a pod that left one would
// come back into it.
#pragma once

#include "session/cycle/session.h"

namespace trellis {

// Whether the pod's workload is admitted and its PodSet was assigned domains.
bool belongs_in_slot(const Session& session, PodId pod);

// Whether belongs_in_slot() holds for some pod of the gang. Cost: O(pods of the gang) where there
// are workloads.
bool has_pods_in_slots(const Session& session, GangId gang);

}  // namespace trellis
