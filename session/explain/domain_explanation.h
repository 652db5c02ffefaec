// The explanation of a domain: the gangs in it, its free room, and how many waiting gangs fit in
// it.
//
// It is computed on the session's state of the cluster: Scheduler::session() is the end of the last
// cycle.
#pragma once

#include <cstdint>
#include <vector>

#include "session/explain/domain_ref.h"
#include "session/explain/room.h"

namespace trellis {

struct ChildRoom {
  DomainId domain;
  int64_t nodes = 0;
  int64_t allocatable = 0;  // of DomainExplanation::measure
  int64_t now = 0;          // free on open nodes
  int64_t unavailable = 0;  // free on closed ones
};

// Whole gangs, by count: the pods that fit, divided by the gang's minimum; where a gang must share
// a finer level, summed over its domains.
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
  std::vector<GangHolding> gangs;
  std::vector<PendingShape> shapes;
  std::vector<GangRoom> pending;  // as shapes
};

DomainExplanation explain_domain(Session& session, TopologyId topology, DomainId domain);

}  // namespace trellis
