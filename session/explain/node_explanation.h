// The explanation of a node: what runs on it, what is free, and which waiting pods could still be
// placed there.
//
// It is computed on the session's state of the cluster: Scheduler::session() is the end of the last
// cycle.
#pragma once

#include <cstdint>
#include <vector>

#include "session/explain/domain_ref.h"
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

// Pods of one waiting gang's shape.
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
  std::vector<DeviceRoom> devices;  // empty while no GPU of it is shared
  std::vector<PodHolding> pods;     // by namespace and name
  std::vector<GangHolding> gangs;
  std::vector<PendingShape> shapes;
  std::vector<PodRoom> pending;  // by shape and row
};

NodeExplanation explain_node(Session& session, NodeId node);

}  // namespace trellis
