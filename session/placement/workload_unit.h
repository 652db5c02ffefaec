// The unit of a workload that is placed together: a PodSet, or workers with their leader.
//
// Words: the *workers* are equal pods; a *leader* is one pod of another PodSet of the same group.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "framework/topology.h"
#include "framework/workload.h"
#include "session/cluster/cluster.h"
#include "topology/kueue_request.h"

namespace trellis {

// A PodSet with the flavor that was chosen for it.
struct FlavoredPodSet {
  uint32_t pod_set = 0;  // index in the workload
  FlavorId flavor;       // with a topology
  TopologyId topology;
  PodClassId pod_class;  // with what the flavor adds
  int32_t count = 0;
};

struct WorkloadUnit {
  FlavoredPodSet workers;
  std::optional<FlavoredPodSet> leader;
  KueueMode mode = KueueMode::Unconstrained;
  int level = 0;
  bool balanced = false;               // preferred: Kueue's balanced algorithm
  std::vector<SegmentLevel> segments;  // outermost first
  std::vector<SegmentLayer> layers;    // the same as they were written
};

// Why the request cannot be understood on this topology; "" when it can.
struct UnitError {
  uint32_t pod_set = 0;
  std::string text;
};

// Units in the order in which Kueue places them: the order of the PodSets, a group at its first
// member. In a group the PodSet with more pods is the workers; of two equal ones, the first.
std::vector<WorkloadUnit> workload_units(const Cluster& cluster, const Workload& workload,
                                         std::span<const FlavoredPodSet> pod_sets,
                                         std::optional<UnitError>& error);

// The request of the unit as a gang would write it: its topology, and the level that it requires or
// prefers.
TopologyConstraint constraint_of(const Cluster& cluster, const WorkloadUnit& unit);

}  // namespace trellis
