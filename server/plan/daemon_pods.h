// What pods of DaemonSets will take of the nodes of a plan: they come to each new node, wherever
// its labels and taints let them, before any other pod.
#pragma once

#include <span>

#include "server/plan/node_market.h"
#include "session/cycle/session.h"

namespace trellis {

// The requests of their pods on a node, which has no pods. Cost: O(DaemonSets).
ResourceList requests_of_daemons(Session& session, NodeId node);
// Subtracts them from the allocatable of the node; never below zero.
void leave_room_for(const ResourceList& daemons, ResourceList& allocatable);

// Subtracts their requests from what nodes of each offer have. `probes`: a node of each offer,
// without pods, by offer. Cost: O(DaemonSets x offers).
void leave_room_for_daemons(Session& session, std::span<const NodeId> probes, NodeMarket& market);

}  // namespace trellis
