// The explanations of a node and of a domain: what runs there, what is free, and which waiting
// pods, gangs and workloads could still be placed there.
//
// They are computed on the session's state of the cluster: Scheduler::session() is the end of the
// last cycle.
#pragma once

#include <cstdint>
#include <vector>

#include "framework/device_claims.h"
#include "session/explain/domain_ref.h"
#include "session/explain/pending_shapes.h"
#include "session/explain/pod_explanation.h"
#include "session/explain/room.h"

namespace trellis {

struct PodHolding {
  PodId pod;
  ResourceList holds;
};

struct DeviceRoom {
  int64_t now = 0;  // thousandths free
  int64_t later = 0;
  bool shared = false;
};

// Pods of one shape that waits.
struct PodRoom {
  uint32_t shape = 0;  // of NodeExplanation::shapes
  PodClassId pod_class;
  int64_t now = 0;
  int64_t later = 0;
  std::vector<NodeReason> reasons;  // why none fits now
};

struct NodeExplanation {
  NodeId node;
  std::vector<DomainRef> domains;  // the deepest of each topology, by its name
  std::vector<ResourceRoom> resources;
  std::vector<DeviceRoom> devices;      // empty while no GPU of it is shared
  std::vector<DeviceStand> of_drivers;  // devices for claims, those of several nodes included
  std::vector<PodHolding> pods;         // by namespace and name
  std::vector<Holding> gangs;
  std::vector<PendingShape> shapes;
  std::vector<PodRoom> pending;  // by shape and row
};

NodeExplanation explain_node(Session& session, NodeId node);

struct ChildRoom {
  DomainId domain;
  int64_t nodes = 0;
  int64_t allocatable = 0;  // of DomainExplanation::measure
  int64_t now = 0;          // free on open nodes
  int64_t unavailable = 0;  // free on closed ones
};

// Whole gangs (or workloads), by count: the pods that fit, divided by the gang's minimum; where a
// gang must share a finer level, summed over its domains.
struct GangRoom {
  int64_t pods = 0;        // of the gang's pods that fit least often
  int64_t later_pods = 0;  // once leaving pods have left
  int64_t gangs = 0;
  int64_t later_gangs = 0;
};

struct DomainExplanation {
  DomainRef domain;
  int64_t nodes = 0;
  std::vector<ResourceRoom> resources;
  ResourceId measure;               // GPUs, or CPUs where there are none
  std::vector<ChildRoom> children;  // by path
  std::vector<Holding> gangs;
  std::vector<PendingShape> shapes;
  std::vector<GangRoom> pending;  // as shapes
};

DomainExplanation explain_domain(Session& session, TopologyId topology, DomainId domain);

}  // namespace trellis
