// Workloads that wait, by ClusterQueue and shape: those of one shape ask for the same, so when the
// first of them finds no place, none does.
//
// Words: a *line* is the workloads of one queue and shape, in the order of their turn: higher
// priority, then who queued earlier, then name.
// Cost: a workload that comes or goes O(log line).
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "framework/ids.h"
#include "framework/indexed_vector.h"
#include "session/cluster.h"

namespace trellis {

struct WorkloadTurnKey {
  int32_t priority = 0;
  TimeUs queued = kNoTime;
  std::string name;  // "namespace/name"
  WorkloadId workload;
  bool operator<(const WorkloadTurnKey& other) const {
    if (priority != other.priority) return priority > other.priority;
    if (queued != other.queued) return queued < other.queued;
    return name < other.name;
  }
};

using WorkloadLine = std::set<WorkloadTurnKey>;

class WorkloadLines {
 public:
  void resize(size_t queues, size_t workloads);
  void add(const Cluster& cluster, ClusterQueueId queue, WorkloadId workload);
  void remove(WorkloadId workload);

  // Some may be empty.
  const std::vector<WorkloadLine>& of(ClusterQueueId queue) const { return lines_[queue]; }
  size_t waiting(ClusterQueueId queue) const { return waiting_[queue]; }
  bool holds(WorkloadId workload) const { return places_[workload].queue.valid(); }

 private:
  struct Place {
    ClusterQueueId queue;
    size_t line = 0;
    WorkloadTurnKey key;
  };
  uint32_t shape_of(const Cluster& cluster, WorkloadId workload);

  IndexedVector<ClusterQueueId, std::vector<WorkloadLine>> lines_;
  IndexedVector<ClusterQueueId, std::vector<uint32_t>> shapes_;  // of each line
  IndexedVector<ClusterQueueId, size_t> waiting_;
  IndexedVector<WorkloadId, Place> places_;
  absl::flat_hash_map<std::string, uint32_t> shape_ids_;  // by what is asked, as bytes
};

}  // namespace trellis
