// Workloads in a hall: one flavor over all nodes, queues with quota as given.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "framework/workload.h"
#include "session/cluster/cluster.h"
#include "session/cycle/scheduler.h"

namespace trellis::bench {

class WorkloadWorld {
 public:
  WorkloadWorld();

  Cluster& cluster() { return cluster_; }
  Scheduler& scheduler() { return scheduler_; }
  StrId str(std::string_view text) { return cluster_.vocabulary().strings.intern(text); }

  void add_flavor(const std::string& name, const std::string& topology);
  struct QueueShape {
    std::string name;
    std::string cohort;
    std::vector<std::string> flavors;
    int64_t nominal = 0;  // of each resource
    std::optional<int64_t> borrowing;
    std::vector<ResourceId> resources = {kCpu};
    WorkloadPreemption preemption;
  };
  // With a LocalQueue of its name in namespace default.
  void add_queue(const QueueShape& shape);

  struct WorkloadShape {
    std::string name;
    std::string queue;
    int32_t pods = 1;
    ResourceList requests;  // of a pod, without `pods`
    int32_t priority = 0;
    TimeUs created = 0;
    TopologyRequest topology;
    Labels selector;  // of nodes
  };
  WorkloadId add_workload(const WorkloadShape& shape);

 private:
  Cluster cluster_;
  Scheduler scheduler_;
};

}  // namespace trellis::bench
