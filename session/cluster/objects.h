// The input of the cluster: decoded records, names not resolved yet.
#pragma once

#include <string>
#include <vector>

#include "framework/cluster_queue.h"
#include "framework/daemon_set.h"
#include "framework/disruption_budget.h"
#include "framework/flavor.h"
#include "framework/gang.h"
#include "framework/name_space.h"
#include "framework/node.h"
#include "framework/pod.h"
#include "framework/queue.h"
#include "framework/topology.h"
#include "framework/workload.h"
#include "session/cluster/shared_spec.h"

namespace trellis {

struct PodObject {
  Pod pod;
  SharedSpec spec;
  bool operator==(const PodObject&) const = default;
};

struct Objects {
  std::vector<NameSpace> name_spaces;
  std::vector<Node> nodes;
  std::vector<PodObject> pods;
  std::vector<Gang> gangs;
  std::vector<Queue> queues;
  std::vector<Topology> topologies;
  std::vector<DisruptionBudget> budgets;
  std::vector<DaemonSet> daemon_sets;
  std::vector<Flavor> flavors;
  std::vector<ClusterQueue> cluster_queues;
  std::vector<Cohort> cohorts;
  std::vector<LocalQueue> local_queues;
  std::vector<Workload> workloads;
};

// A namespace is never removed: the objects in it still belong to it.
struct RemovedObjects {
  struct Named {
    std::string name_space;
    std::string name;
  };
  std::vector<std::string> nodes;
  std::vector<Named> pods;
  std::vector<Named> gangs;
  std::vector<std::string> queues;
  std::vector<std::string> topologies;
  std::vector<Named> budgets;
  std::vector<Named> daemon_sets;
  std::vector<std::string> flavors;
  std::vector<std::string> cluster_queues;
  std::vector<std::string> cohorts;
  std::vector<Named> local_queues;
  std::vector<Named> workloads;
};

// The changes of a source's objects since the last time. REQUIRES: no object is in both.
struct ObjectChanges {
  Objects upserts;  // new or changed
  RemovedObjects removed;
};

}  // namespace trellis
