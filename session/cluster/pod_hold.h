// What holds a pod back from placement, its workload's admission included.
#pragma once

#include "framework/pod.h"
#include "framework/reason.h"
#include "session/cluster/cluster.h"

namespace trellis {

// A pod of a workload that is not admitted waits, be it gated or not. One of an admitted workload
// whose flavors have no topology is free to go anywhere; one with a topology takes the slot that is
// its own (actions/workloads/assigned_pods.h), and waits where there is none.
PodHold hold_of(const Cluster& cluster, const PodSlot& slot);

// Why a pod that is held so waits; None for PodHold::None.
ReasonCode hold_reason(PodHold hold);

}  // namespace trellis
