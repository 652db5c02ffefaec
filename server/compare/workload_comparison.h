// Compares the outcome of each workload in two finished cycles, without a change and with it.
//
// Workloads are matched by namespace and name. Cost: O(workloads + their assignments) and a sort.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "session/cluster/cluster.h"
#include "session/record/record.h"

namespace trellis {

struct WorkloadFate {
  WorkloadId workload;  // of that cycle's cluster
  bool admitted = false;
  std::string admission;  // flavors and domains; equal texts mean equal admissions
};

struct WorkloadChange {
  std::string name_space;
  std::string name;
  std::optional<WorkloadFate> before;  // none: it was not there, or had finished
  std::optional<WorkloadFate> after;
};

// By namespace and name, each workload in one list at the most.
struct WorkloadComparison {
  std::vector<WorkloadChange> added;    // admitted only with the change
  std::vector<WorkloadChange> lost;     // admitted only without it, and still there
  std::vector<WorkloadChange> moved;    // admitted both times, with other flavors or domains
  std::vector<WorkloadChange> waiting;  // new with the change, and not admitted
  std::vector<WorkloadChange> removed;  // removed by the change
  bool any_workload = false;            // in either cycle
};

struct ComparedWorkloads {
  const Cluster& cluster;
  const CycleRecord& record;
};

WorkloadComparison compare_workloads(const ComparedWorkloads& before,
                                     const ComparedWorkloads& after);

}  // namespace trellis
