// Why a pod is held: its own hold, or its workload's admission.
#pragma once

#include "framework/pod.h"
#include "framework/reason.h"
#include "session/cluster/cluster.h"

namespace trellis {

// A pod of a workload that is not admitted waits, gated or not. A pod of an admitted workload whose
// flavors have no topology may be placed anywhere; with a topology, the pod takes its own slot
// (actions/workloads/assigned_pods.h), and waits if it has none.
PodHold hold_of(const Cluster& cluster, const PodSlot& slot);

// Whether the pod counts as arrived: one behind a scheduling gate may never come.
inline bool has_arrived(const Pod& pod) { return pod.hold != PodHold::SchedulingGates; }

// The reason why a pod with this hold waits; None for PodHold::None.
ReasonCode hold_reason(PodHold hold);

}  // namespace trellis
