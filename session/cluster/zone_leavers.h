// The pods that have left a node since the agent's last report of its zones (framework/node.h).
//
// The agent reports some time after a pod has left. Until then the report shows the pod's zones as
// used, and they are room that is free in future.
// Guarantees: a new report ends what was kept for the one before it.
// Cost: O(1) for a change of a pod that stays; O(cells of the report) for a pod that leaves.
#pragma once

#include "framework/indexed_vector.h"
#include "framework/node.h"
#include "framework/pod.h"

namespace trellis {

// What a pod holds of its node's zones.
struct ZonesHeld {
  NodeId node;  // kNone: nothing, or its zones are not known
  SharedValue<PodDemand> demand;
  SharedValue<PodContainers> containers;
};
ZonesHeld zones_held(const PodSlot& slot, const IndexedVector<PodClassId, PodSpec>& classes);

// The pod that held this has left the node. Nothing is kept where the report lacks the pod.
void add_leaver(Node& node, const ZonesHeld& held);

// `after` replaces `before`, a record of the same node: takes over the pods that have left since
// its report, unless the report is new or the agent is known to have seen that they left.
void keep_leavers(const Node& before, Node& after);

}  // namespace trellis
