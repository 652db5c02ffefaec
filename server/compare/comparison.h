// Compares two finished cycles: the outcome of each gang without a change, and with it.
//
// Gangs are matched by namespace and name, since the two clusters have different ids. Two cycles of
// one engine are compared where the second one's record touched anything. Cost: O(pods + gangs +
// nodes) and a sort of the gangs that are compared.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "server/engine/engine.h"
#include "server/view/gang_summary.h"
#include "session/cluster/cluster.h"
#include "session/record/record.h"

namespace trellis {

// Compares the outcome of each workload in two finished cycles, without a change and with it.
//
// Workloads are matched by namespace and name. Cost: O(workloads + their assignments) and a sort.
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

struct ComparedCycle {
  Engine& engine;
  const CycleRecord& record;
  const CycleSummary* summary = nullptr;  // of the record; null: it is not known yet
};

// The outcome of a gang in one of the cycles.
struct GangFate {
  GangId gang;  // of that cycle's cluster
  GangStatus status = GangStatus::Pending;
  int64_t pods = 0;                // that have not finished
  int64_t placed = 0;              // of them
  std::vector<std::string> nodes;  // one for each placed pod, by name
};

struct GangChange {
  std::string name_space;
  std::string name;
  std::optional<GangFate> before;  // none: it was not there
  std::optional<GangFate> after;
};

// A domain that a changed gang is placed in, before or after.
struct DomainChange {
  struct Use {
    int64_t gangs = 0;  // that have a pod in it
    int64_t gpus = 0;   // whole devices that pods hold
  };
  GangPlacement domain;
  Use before;
  Use after;
};

// Gangs by namespace and name, each in one list at the most.
struct Comparison {
  std::vector<GangChange> added;      // placed only with the change
  std::vector<GangChange> lost;       // placed only without it, and still there
  std::vector<GangChange> moved;      // as many pods placed both times, not on the same nodes
  std::vector<GangChange> resized;    // more or fewer pods placed; the gang placed in both or none
  std::vector<GangChange> waiting;    // new with the change, and not placed
  std::vector<GangChange> removed;    // removed by the change
  std::vector<DomainChange> domains;  // by topology and path
  WorkloadComparison workloads;
  CycleSummary before;
  CycleSummary after;
};

Comparison compare(const ComparedCycle& before, const ComparedCycle& after);

}  // namespace trellis
