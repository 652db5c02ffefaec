// Waiting workloads, by ClusterQueue and shape: workloads of one shape request the same, so when
// the first of them finds no place, none does.
//
// Words: a *workload class* is the workloads of one queue and shape, in the order of their turn:
// higher priority, then queued earlier, then name.
// Cost: a workload that is added or removed O(log class).
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

using WorkloadClass = std::set<WorkloadTurnKey>;

class WorkloadClasses {
 public:
  void resize(size_t queues, size_t workloads);
  void add(const Cluster& cluster, ClusterQueueId queue, WorkloadId workload);
  void remove(WorkloadId workload);

  size_t size() const { return classes_.size(); }
  const WorkloadClass& operator[](WorkloadClassId id) const { return classes_[id]; }
  // Some may be empty.
  std::span<const WorkloadClassId> of(ClusterQueueId queue) const { return of_queue_[queue]; }
  // kNone: it does not wait.
  WorkloadClassId class_of(WorkloadId workload) const { return positions_[workload].id; }
  size_t waiting(ClusterQueueId queue) const { return waiting_[queue]; }

 private:
  struct Position {
    ClusterQueueId queue;
    WorkloadClassId id;
    WorkloadTurnKey key;
  };
  uint32_t shape_of(const Cluster& cluster, WorkloadId workload);

  IndexedVector<WorkloadClassId, WorkloadClass> classes_;
  IndexedVector<ClusterQueueId, std::vector<WorkloadClassId>> of_queue_;
  absl::flat_hash_map<uint64_t, WorkloadClassId> by_shape_;  // by queue and shape; never iterated
  IndexedVector<ClusterQueueId, size_t> waiting_;
  IndexedVector<WorkloadId, Position> positions_;
  absl::flat_hash_map<std::string, uint32_t> shape_ids_;  // by what is requested, as bytes
};

}  // namespace trellis
