// The part of the cluster about workloads: quotas, queues, flavors, workloads and their
// pods, and DaemonSets.
//
// Guarantees: those of Cluster, of which it is a part; a workload that only pods name is a slot
// without a name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "framework/cluster_queue.h"
#include "framework/daemon_set.h"
#include "framework/flavor.h"
#include "framework/ids.h"
#include "framework/string_table.h"
#include "framework/workload.h"
#include "session/cluster/named_table.h"

namespace trellis {

using DaemonSetId = StrongId<struct DaemonSetTag>;

// The changes since the last take_changes(). Ids may be vacant by now.
struct WorkloadChanges {
  std::vector<WorkloadId> workloads;  // sorted: records that changed, or whose pods did
  bool quotas = false;                // a flavor, ClusterQueue, Cohort or LocalQueue
  bool daemon_sets = false;
  bool empty() const { return workloads.empty() && !quotas && !daemon_sets; }
};

class WorkloadRecords {
 public:
  void upsert(Flavor flavor);
  void upsert(ClusterQueue queue);
  void upsert(Cohort cohort);
  void upsert(LocalQueue queue, const StringTable& strings);
  void upsert(DaemonSet set, PodClassId pod_class, const StringTable& strings);
  WorkloadId upsert(Workload workload, std::vector<PodClassId> classes, const StringTable& strings);
  void remove_flavor(std::string_view name);
  void remove_cluster_queue(std::string_view name);
  void remove_cohort(std::string_view name);
  void remove_local_queue(std::string_view key);
  void remove_daemon_set(std::string_view key);
  void remove_workload(std::string_view key);

  // The pod belongs to the workload of this key ("namespace/name"), or no longer does.
  WorkloadId attach(PodId pod, std::string_view key);
  void detach(PodId pod, std::string_view key);
  // The pods of a PodSet or DaemonSet are of another class now.
  void set_class(WorkloadId id, size_t pod_set, PodClassId pod_class);
  void set_class(DaemonSetId id, PodClassId pod_class);
  // A pod of the workload changed.
  void touch(WorkloadId id) { changes_.workloads.push_back(id); }
  // The labels of the namespace, by which ClusterQueues select namespaces, changed.
  void touch_name_space(StrId name_space);

  const NamedTable<FlavorId, Flavor>& flavors() const { return flavors_; }
  const NamedTable<ClusterQueueId, ClusterQueue>& cluster_queues() const { return queues_; }
  const NamedTable<CohortId, Cohort>& cohorts() const { return cohorts_; }
  const NamedTable<LocalQueueId, LocalQueue>& local_queues() const { return local_queues_; }
  const NamedTable<DaemonSetId, DaemonSet>& daemon_sets() const { return daemon_sets_; }
  const NamedTable<WorkloadId, Workload>& workloads() const { return workloads_; }
  const Workload& operator[](WorkloadId id) const { return workloads_[id]; }
  bool alive(WorkloadId id) const { return workloads_.alive(id); }
  // The class of each PodSet, without what a flavor adds.
  const std::vector<PodClassId>& classes(WorkloadId id) const { return classes_[id]; }
  PodClassId daemon_class(DaemonSetId id) const { return daemon_classes_[id]; }
  // In no order.
  const std::vector<PodId>& pods_of(WorkloadId id) const { return pods_[id]; }
  // Live workloads in order of namespace and name.
  std::vector<WorkloadId> by_name(const StringTable& strings) const;
  // Puts live workloads into that order.
  void sort_by_name(std::vector<WorkloadId>& ids, const StringTable& strings) const;

  // Changes a workload in place; it is noted as changed.
  Workload& edit(WorkloadId id);

  WorkloadChanges take_changes();
  void mark_all_changed();

 private:
  void grow();

  NamedTable<FlavorId, Flavor> flavors_;
  NamedTable<ClusterQueueId, ClusterQueue> queues_;
  NamedTable<CohortId, Cohort> cohorts_;
  NamedTable<LocalQueueId, LocalQueue> local_queues_;  // "namespace/name"
  NamedTable<DaemonSetId, DaemonSet> daemon_sets_;     // "namespace/name"
  NamedTable<WorkloadId, Workload> workloads_;         // "namespace/name"
  IndexedVector<WorkloadId, std::vector<PodClassId>> classes_;
  IndexedVector<WorkloadId, std::vector<PodId>> pods_;
  IndexedVector<DaemonSetId, PodClassId> daemon_classes_;
  WorkloadChanges changes_;
};

}  // namespace trellis
