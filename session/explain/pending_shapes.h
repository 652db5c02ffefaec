// What waits, by shape: gangs that wait for equal pods under an equal topology constraint, and
// workloads that request equal pods of equal flavors.
//
// Words: a *shape* is what its members have in common. Cost: O(waiting pods), and for workloads
// O(PodSets x flavors of their queue).
#pragma once

#include <cstdint>
#include <vector>

#include "session/explain/demand_part.h"

namespace trellis {

struct PendingShape {
  GangId gang;          // the first of them by namespace and name
  WorkloadId workload;  // the same, of workloads; one of the two is kNone
  FlavorId flavor;      // of workloads: with a topology
  int64_t members = 0;
  std::vector<AskedRow> rows;  // of a gang: the rest of the minimum
  TopologyConstraint topology;
};

int64_t pods_of(const PendingShape& shape);

// Gangs, then workloads; each by the first one's name. A workload has a shape for each flavor with
// a topology, and for each of its PodSets that are placed apart. Quotas are not judged.
std::vector<PendingShape> pending_shapes(const Session& session);

}  // namespace trellis
