// The free room of nodes, and the gangs and workloads that hold the rest.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "framework/ids.h"
#include "framework/node_state.h"
#include "framework/resources.h"
#include "session/cycle/session.h"

namespace trellis {

// Whether the node's amount of the resource is no more than a bound, because devices serve it
// (Node::by_devices). That of GPUs is their number.
bool is_mere_bound(const Node& node, ResourceId resource);

// The free amount on the node, parts of shared GPUs included; never negative.
int64_t free_amount(const NodeState& state, ResourceId resource, NodeId node, FitMode mode);

struct ResourceRoom {
  ResourceId resource;
  int64_t allocatable = 0;
  int64_t now = 0;          // free on open nodes
  int64_t later = 0;        // the same once leaving pods have left
  int64_t unavailable = 0;  // free on closed nodes (session/explain/topology_report.h)
  int64_t used() const { return allocatable - now - unavailable; }
};

// Of every resource that at least one of the nodes has, by name; without mere bounds.
std::vector<ResourceRoom> room_on(const Session& session, std::span<const NodeId> nodes);

// A gang's pods on some nodes: they hold resources, or are promised them. Or a workload's slots.
struct Holding {
  GangId gang;
  WorkloadId workload;   // instead of a gang
  int64_t pods = 0;      // of a workload: slots, with pods in them or not
  int64_t all_pods = 0;  // of a gang: that have a node, anywhere
  ResourceList holds;    // parts of GPUs included
};

// Gangs, by namespace and name.
std::vector<Holding> holdings_on(const Session& session, std::span<const NodeId> nodes);
// Workloads with slots there, by namespace and name.
std::vector<Holding> slots_on(const Session& session, std::span<const NodeId> nodes);

// The amounts that the pod holds, parts of GPUs included.
ResourceList held_by(const Session& session, PodId pod);

// The requests of a pod, parts of GPUs included; a part by GPU memory counts as one device, at the
// most.
ResourceList asked_by(const PodSpec& spec);

// How many pods of a class a node would take if nothing were on it.
class EmptyNodes {
 public:
  EmptyNodes(Session& session, PodClassId pod_class);

  // 0: the node refuses the pods, whatever is on it. Exact for an empty node, else by its
  // resources.
  int64_t fit(NodeId node);

 private:
  int64_t by_resources(NodeId node) const;

  Session& session_;
  PodClassId pod_class_;
  const PodSpec& spec_;
};

}  // namespace trellis
