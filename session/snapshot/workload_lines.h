// Waiting workloads, by ClusterQueue and shape: workloads of one shape request the same, so when
// the first of them finds no place, none does.
//
// Words: a *line* is the workloads of one queue and shape, in the order of their turn: higher
// priority, then queued earlier, then name.
// Cost: a workload that is added or removed O(log line).
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "framework/ids.h"
#include "framework/indexed_vector.h"
#include "session/cluster/cluster.h"
#include "session/snapshot/workload_outcomes.h"

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

  size_t size() const { return lines_.size(); }
  const WorkloadLine& operator[](WorkloadLineId id) const { return lines_[id]; }
  // Some may be empty.
  std::span<const WorkloadLineId> of(ClusterQueueId queue) const { return of_queue_[queue]; }
  // kNone: the workload is in no line.
  WorkloadLineId line_of(WorkloadId workload) const { return places_[workload].line; }
  size_t waiting(ClusterQueueId queue) const { return waiting_[queue]; }

 private:
  struct Place {
    ClusterQueueId queue;
    WorkloadLineId line;
    WorkloadTurnKey key;
  };
  uint32_t shape_of(const Cluster& cluster, WorkloadId workload);

  IndexedVector<WorkloadLineId, WorkloadLine> lines_;
  IndexedVector<ClusterQueueId, std::vector<WorkloadLineId>> of_queue_;
  absl::flat_hash_map<uint64_t, WorkloadLineId> by_shape_;  // by queue and shape; never iterated
  IndexedVector<ClusterQueueId, size_t> waiting_;
  IndexedVector<WorkloadId, Place> places_;
  absl::flat_hash_map<std::string, uint32_t> shape_ids_;  // by what is requested, as bytes
};

}  // namespace trellis
