// The snapshot: the cluster as columns, frozen for a session that works on it through a Statement.
//
// Guarantees: refresh() makes it equal to the cluster, recomputing only what changed since the last
// refresh, what a session left behind included; between refreshes only a Statement changes it.
// Cost: refresh O(changes) plus, when nodes were added, removed or changed labels, the trees again.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "framework/gpu_grant.h"
#include "framework/node_state.h"
#include "framework/pod.h"
#include "framework/presence.h"
#include "framework/time.h"
#include "framework/view.h"
#include "session/cluster/cluster.h"
#include "session/cluster/id_set.h"
#include "session/snapshot/change_log.h"
#include "session/snapshot/node_classes.h"
#include "session/snapshot/queue_ledger.h"
#include "session/snapshot/workload_ledger.h"
#include "topology/tree.h"

namespace trellis {

struct PodState {
  NodeId node;
  PodStatus status = PodStatus::Pending;
};

// The fields of every pod that the search reads, close together.
struct PodKey {
  PodClassId pod_class;
  GangId gang;
  int32_t subgroup = -1;  // index of a leaf in the gang's subgroups; -1: the gang itself
  PodHold hold = PodHold::None;
};

// A state as one cell of the undo log.
inline int64_t pack(PodState state) {
  return static_cast<int64_t>((uint64_t{state.node.value} << 8) |
                              static_cast<uint64_t>(state.status));
}
inline PodState unpack(int64_t cell) {
  uint64_t bits = static_cast<uint64_t>(cell);
  return {NodeId(static_cast<uint32_t>(bits >> 8)), static_cast<PodStatus>(bits & 0xff)};
}

// When pods that leave count as stuck: they hold their nodes in future, too.
struct LeavingRule {
  TimeUs now = 0;
  TimeUs grace_us = -1;  // negative: never
};

class Snapshot {
 public:
  explicit Snapshot(QueueTree::Shape queues = QueueTree::Shape::Full) : queues_(queues) {}

  // A placement that was added or removed, for plugins that keep state of their own.
  struct Moved {
    PodClassId from_class;
    NodeId from;  // kNone: it had no node
    Presence from_presence = Presence::Stays;
    PodClassId to_class;
    NodeId to;  // kNone: it has no node
    Presence to_presence = Presence::Stays;
    PodId pod;  // kNone: slots of a workload
  };

  // Since when the next pod leaves that may get stuck; kNoTime: none does.
  TimeUs first_leaver() const { return leavers_.empty() ? kNoTime : leavers_.begin()->first; }

  // What refresh() did, beyond the change log.
  struct Refreshed {
    bool nodes_renumbered = false;  // trees or node classes are new: caches per node are invalid
    std::vector<Moved> moved;
    std::vector<PodClassId> arrived;  // of pods that are new to the cluster
    // The ids whose columns were rewritten. Sorted; some may no longer exist.
    std::vector<PodId> pods;
    std::vector<GangId> gangs;
    std::vector<NodeId> nodes;
  };
  Refreshed refresh(Cluster& cluster, const LeavingRule& rule = {});

  const NodeState& state() const { return state_; }
  const NodeClasses& node_classes() const { return node_classes_; }
  const IndexedVector<TopologyId, TopologyTree>& trees() const { return trees_; }
  // The tree without levels: all nodes in order of name.
  const TopologyTree& all_nodes() const { return all_nodes_; }
  const TopologyTree& tree(TopologyId topology) const {
    return topology.valid() ? trees_[topology] : all_nodes_;
  }
  PodState pod(PodId pod) const { return unpack(pods_[pod]); }
  const PodKey& key(PodId pod) const { return pod_keys_[pod]; }
  const GpuGrant& grant(PodId pod) const;  // empty for a pod that shares no GPU
  // Ids beyond the cluster's pods, for pods that do not exist yet (Statement::reserve): as many as
  // the largest workload has pods, kMostReserved at most.
  static constexpr size_t kMostReserved = size_t{1} << 17;
  static constexpr size_t kLeastReserved = 64;
  size_t reserved_ids(const Cluster& cluster) const { return pods_.size() - cluster.pods().size(); }
  const IndexedVector<GangId, GangCounts>& gang_counts() const { return gang_counts_; }
  // The gangs that may lack pods, or did: every gang with waiting pods or below its minimum, each
  // with a time since which it has been below it, and those that this session's decisions touched.
  // Sorted.
  std::vector<GangId> unsettled_gangs() const;
  // Gangs in the background, and gangs with spares; in no order.
  std::span<const GangId> background_gangs() const { return background_.ids(); }
  std::span<const GangId> spared_gangs() const { return spared_.ids(); }
  // Gangs whose run time is known; in no order.
  std::span<const GangId> timed_gangs() const { return timed_.ids(); }
  // By subgroup; all 0 for inner subgroups, empty for a gang without subgroups.
  const IndexedVector<GangId, std::vector<GangCounts>>& subgroup_counts() const {
    return subgroup_counts_;
  }
  const QueueLedger& queues() const { return queues_; }
  const WorkloadLedger& workloads() const { return workloads_; }
  // Nodes where future may differ from now: something leaves them, or the report of their zones
  // shows pods that have left.
  int64_t leaving_nodes() const { return leaving_nodes_; }
  const ChangeLog& changes() const { return changes_; }
  // Grows whenever something changes that a search for places reads: nodes and the pods on them,
  // queues, trees. Waiting pods do not count, nor does what a statement undid again.
  uint64_t epoch() const { return epoch_; }
  // The ids that the session's final decisions touched. May repeat.
  std::span<const GangId> worked_gangs() const { return worked_gangs_; }
  std::span<const NodeId> worked_nodes() const { return worked_nodes_; }

  // Throws BrokenCheck unless every column results from the pods on the node. O(everything).
  void check_invariants(const Cluster& cluster) const;

 private:
  friend class Statement;

  void resize(const Cluster& cluster);
  bool layout_devices(const Cluster& cluster, std::span<const NodeId> changed);
  void rebuild_trees(const Cluster& cluster);
  void rebuild_node(const Cluster& cluster, NodeId node);
  void hold(const Cluster& cluster, PodId pod, NodeId node);
  void hold_slots(const Cluster& cluster, NodeId node);
  void take(const PodSpec& spec, NodeId node, int64_t now, int64_t future);
  void assign_devices(const Cluster& cluster, NodeId node, std::vector<PodId> sharing);
  void leave_old_places(Refreshed& result);
  void refresh_pod(const Cluster& cluster, PodId pod, Refreshed& result);
  void note_stuck(const Cluster& cluster, ClusterChanges& changes);
  bool follow_leaver(const Cluster& cluster, PodId pod);
  void recount_gang(const Cluster& cluster, GangId gang);
  bool is_settled(const Gang& record, GangId gang) const;
  bool differs(NodeId node) const;

  NodeState state_;
  NodeClasses node_classes_;
  IndexedVector<TopologyId, TopologyTree> trees_;
  TopologyTree all_nodes_;
  // By pod, then by reserved id.
  IndexedVector<PodId, int64_t> pods_;     // PodState, packed for the undo log
  IndexedVector<PodId, PodKey> pod_keys_;  // as of the last refresh
  size_t reserved_pods_ = 0;
  IndexedVector<GangId, GangCounts> gang_counts_;
  IndexedVector<GangId, std::vector<GangCounts>> subgroup_counts_;
  IdSet<GangId> unsettled_;  // when they were last refreshed
  IdSet<GangId> background_;
  IdSet<GangId> spared_;
  IdSet<GangId> timed_;
  // By pod; never iterated.
  absl::flat_hash_map<uint32_t, GpuGrant> grants_;
  absl::flat_hash_map<uint32_t, GpuGrant> promised_grants_;  // of Pipelined pods
  IndexedVector<NodeId, int64_t> leaving_;                   // 1: future may differ from now
  int64_t leaving_nodes_ = 0;
  LeavingRule leaving_rule_;
  // Leaving pods that are not stuck, by the time since which they leave.
  std::set<std::pair<TimeUs, uint32_t>> leavers_;
  // By pod, stuck ones included; never iterated.
  absl::flat_hash_map<uint32_t, TimeUs> leaving_since_;
  absl::flat_hash_set<uint32_t> stuck_;
  QueueLedger queues_;
  WorkloadLedger workloads_;
  ChangeLog changes_;
  uint64_t epoch_ = 0;
  // Touched by a session: the next refresh takes them from the cluster again.
  std::vector<NodeId> worked_nodes_;
  std::vector<PodId> worked_pods_;
  std::vector<GangId> worked_gangs_;
  std::vector<std::pair<PodId, NodeId>> worked_evictions_;  // and where the pod was
  // Slots that listeners were notified of, by class and node.
  std::map<std::tuple<PodClassId, NodeId, Presence>, int32_t> worked_slots_;
};

}  // namespace trellis
