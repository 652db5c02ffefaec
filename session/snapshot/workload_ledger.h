// The amounts and slots that workloads hold: the quota tree with its usage, each workload's quota
// and slots, and the classes of waiting workloads.
//
// Words: a *holder* has quota reserved, admitted or not. Guarantees: usage is the sum of what
// holders hold; slots, classes and states follow the records. Cost: a workload that changed O(its
// domains + depth of the cohort tree); quotas, topologies or nodes that were added or removed
// O(workloads).
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "framework/quota_holding.h"
#include "framework/quota_tree.h"
#include "session/cluster/cluster.h"
#include "session/cluster/id_set.h"
#include "session/snapshot/assigned_slots.h"
#include "session/snapshot/undo_log.h"
#include "session/snapshot/workload_classes.h"
#include "session/snapshot/workload_outcomes.h"

namespace trellis {

class WorkloadLedger {
 public:
  // Follows the cluster: after its changes were taken and the trees are made. Appends nodes whose
  // slots changed.
  void refresh(Cluster& cluster, const ClusterChanges& changes,
               const IndexedVector<TopologyId, TopologyTree>& trees, std::vector<NodeId>& nodes);

  // No workload was read: nothing is kept.
  bool empty() const { return holdings_.empty(); }
  const QuotaTree& tree() const { return tree_; }
  const std::vector<int64_t>& usage() const { return usage_; }
  const IndexedVector<WorkloadId, QuotaHolding>& holdings() const { return holdings_; }
  const AssignedSlots& slots() const { return slots_; }
  const WorkloadClasses& classes() const { return classes_; }
  const WorkloadStates& states() const { return states_; }
  // No workload so far had more pods. Never shrinks.
  size_t most_pods() const { return most_pods_; }
  // The workloads that hold quota by their records.
  std::span<const WorkloadId> holders() const { return holders_.ids(); }
  // The waiting workloads whose turn does not come before a time in their records.
  std::span<const WorkloadId> delayed() const { return delayed_.ids(); }
  // The waiting workloads that were promised a place in a cycle before.
  std::span<const WorkloadId> promised() const { return promised_.ids(); }
  // kNone: its LocalQueue or ClusterQueue does not exist.
  ClusterQueueId queue_of(WorkloadId workload) const { return queue_[workload]; }
  // The class of a PodSet with what a flavor adds.
  PodClassId flavored(WorkloadId workload, size_t pod_set, FlavorId flavor) const;
  // The class of a pod that waits for a workload of the queue, with what the flavors of its
  // admitted PodSet add; kNone: too many classes and flavors meet.
  PodClassId started(ClusterQueueId queue, const PodSetAdmission& admission, PodClassId base) const;
  FlavorId flavor(StrId name) const;
  // Of the flavors that an admission names, the one with a topology; kNone: none has one.
  FlavorId placed_flavor(const Cluster& cluster, const PodSetAdmission& admission) const;
  TopologyId topology_of(const Cluster& cluster, FlavorId flavor) const;
  std::vector<QuotaAmount> amounts_of(const PodSetAdmission& admission) const;

  // In a statement: the workload takes (or gives back) quota; undone by the log.
  void hold(UndoLog& log, WorkloadId workload, ClusterQueueId queue,
            std::vector<QuotaAmount> amounts);
  void release(UndoLog& log, WorkloadId workload);
  void charge(UndoLog& log, ClusterQueueId queue, const QuotaAmount& amount, int64_t times);

  // The session worked on the workload: the next refresh takes it from the cluster again.
  void forget(WorkloadId workload) { worked_.push_back(workload); }

 private:
  void rebuild(Cluster& cluster);
  void leave(WorkloadId workload, std::vector<NodeId>& nodes);
  void enter(Cluster& cluster, WorkloadId workload,
             const IndexedVector<TopologyId, TopologyTree>& trees, std::vector<NodeId>& nodes);
  void add_usage(ClusterQueueId queue, const QuotaAmount& amount, int64_t times);
  void flavor_classes(Cluster& cluster, WorkloadId workload);
  void flavor_pods(Cluster& cluster, WorkloadId workload);
  PodClassId add_flavored(Cluster& cluster, PodClassId base, FlavorId flavor);
  void wait(const Cluster& cluster, WorkloadId workload);

  QuotaTree tree_;
  std::vector<int64_t> usage_;
  IndexedVector<WorkloadId, QuotaHolding> holdings_;
  IndexedVector<WorkloadId, ClusterQueueId> queue_;
  AssignedSlots slots_;
  WorkloadClasses classes_;
  WorkloadStates states_;
  IdSet<WorkloadId> holders_;
  IdSet<WorkloadId> delayed_;
  IdSet<WorkloadId> promised_;
  absl::flat_hash_map<uint64_t, PodClassId> flavored_;  // by class and flavor; never iterated
  absl::flat_hash_map<uint32_t, FlavorId> flavors_;     // by name; never iterated
  std::vector<WorkloadId> worked_;
  size_t most_pods_ = 0;
  bool saturated_ = false;  // a usage has saturated since it was made
  const Cluster* cluster_ = nullptr;
};

// The LocalQueue of a workload; kNone: it names none, or one that does not exist.
LocalQueueId local_queue_of(const Cluster& cluster, const Workload& workload);

// What bars the workload from admission; empty: nothing.
std::vector<Reason> admission_bars(const Cluster& cluster, WorkloadId workload);

}  // namespace trellis
