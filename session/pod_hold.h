// What keeps a pod from being considered, its workload's admission included.
#pragma once

#include "framework/pod.h"
#include "session/cluster.h"

namespace trellis {

// A pod of an admitted workload whose flavors have no topology is free to go anywhere; one with a
// topology takes the slot that is its own (actions/workloads/assigned_pods.h).
PodHold hold_of(const Cluster& cluster, const PodSlot& slot);

}  // namespace trellis
