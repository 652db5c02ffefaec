// A statement: an undoable set of decisions on the snapshot.
//
// Words: a checkpoint is a position in it; rollback(checkpoint) undoes all that came after;
// commit() makes everything so far final and returns it as decisions.
// Guarantees: a rollback to the start restores the snapshot bit for bit; nodes that were touched
// are in the change log either way.
// Cost: checkpoint O(1); place and evict O(resources of the pod); rollback O(what it undoes).
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "framework/decision.h"
#include "framework/gpu_grant.h"
#include "framework/plugin.h"
#include "session/cluster/cluster.h"
#include "session/snapshot/snapshot.h"
#include "session/snapshot/undo_log.h"

namespace trellis {

// An amount of a node's room.
struct HeldRoom {
  NodeId node;
  ResourceId resource;
  int64_t amount = 0;
};

class Statement {
 public:
  struct Checkpoint {
    UndoLog::Mark mark = 0;
    size_t decisions = 0;
    size_t slots = 0;
    PodClassId entered;
  };

  Statement(const Cluster& cluster, Snapshot& snapshot, const Hooks& hooks)
      : cluster_(cluster), snapshot_(snapshot), hooks_(hooks) {}
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  Checkpoint checkpoint() const {
    return {log_.mark(), decisions_.size(), slots_.size(), entered_};
  }
  void rollback(Checkpoint checkpoint);
  void rollback() { rollback(Checkpoint{}); }

  // Puts a pod on a node: bound in FitMode::Now, promised in FitMode::Future. False, and nothing
  // done, when the node has no device for the part of a GPU that the pod requests.
  // `followers`: how many pods of its class may come after it, for which its devices leave room.
  // REQUIRES: its class fits the node in this mode; the pod is pending, or was evicted by this
  // statement: then it is promised another place.
  [[nodiscard]] bool place(PodId pod, NodeId node, FitMode mode, int64_t followers = 0);
  // The same on devices that the caller has chosen; none for a pod that shares no GPU.
  void place_on(PodId pod, NodeId node, FitMode mode, const GpuGrant& devices);

  // Ids for pods that do not exist yet, which a search places like pods: rows[i].count of the class
  // of rows[i], one row after the other from the id that is returned. They belong to no gang and no
  // queue, and are valid until the next call. kNone: there are not so many ids.
  // REQUIRES: no reserved pod is placed; they are rolled back before the next commit.
  PodId reserve(std::span<const GangRow> rows);

  // A held pod may be placed from now on, as one of this class; final at once.
  // REQUIRES: the statement is clean.
  void let_go(PodId pod, PodClassId pod_class);

  // Evicts a running pod, for gang `by`: its resources become free in future.
  // REQUIRES: the pod is bound or running.
  void evict(PodId pod, GangId by, WorkloadId by_workload = {});

  // Keeps nodes out of every search until they are released; nothing else may happen to them
  // meanwhile.
  void hold_back(std::span<const NodeId> nodes) { shift_room(nodes, -kHeldPods); }
  void release(std::span<const NodeId> nodes) { shift_room(nodes, kHeldPods); }
  // The same for a part of the room of nodes. kWholeNode pods keep all of a node.
  static constexpr int64_t kWholeNode = kMaxAmount / 8;  // more than any node takes
  void hold_back(std::span<const HeldRoom> rooms) { shift_room(rooms, 1); }
  void release(std::span<const HeldRoom> rooms) { shift_room(rooms, -1); }

  // Takes room for pods of a workload that do not exist yet: free now, or (Future) once the leaving
  // pods have left. Listeners count the pods as present until commit(), so that the pods of one
  // workload meet each other's affinity while places are searched for; from then on they are
  // promised.
  // REQUIRES: the node takes `count` more pods of the class.
  void take_slots(PodClassId pod_class, NodeId node, int32_t count, FitMode mode);
  // Room that slots of a workload held becomes free in future.
  void leave_slots(PodClassId pod_class, NodeId node, int32_t count);
  // Frees slots at once: their pods come, or they were kept for a while only. Listeners are
  // notified of the removal of slots that this statement took; recorded slots were never placed
  // there.
  void free_slots(PodClassId pod_class, NodeId node, int32_t count);
  // The slots that were taken since the last commit are spares: they meet no affinity.
  void keep_spares() { promise_slots(Presence::Spare); }
  // Frees spares at once.
  void free_spares(PodClassId pod_class, NodeId node, int32_t count);

  // The next pod that is placed takes a slot of its workload on the node: its room is free for it.
  void enter_slot(PodClassId slot_class, NodeId node) {
    free_slots(slot_class, node, 1);
    entered_ = slot_class;
  }

  // The workload takes quota, or gives back what it holds.
  void hold_quota(WorkloadId workload, ClusterQueueId queue, std::vector<QuotaAmount> amounts);
  void release_quota(WorkloadId workload);

  // Whether the snapshot is as the last commit left it.
  bool clean() const { return log_.mark() == 0; }
  size_t decision_count() const { return decisions_.size(); }
  // Decisions since the last commit, oldest first.
  const std::vector<Decision>& decisions() const { return decisions_; }
  // Makes the decisions final, in the name of an action; the statement is empty afterwards.
  std::vector<Decision> commit(std::string_view action);

 private:
  struct Slots {
    PodClassId pod_class;
    NodeId node;
    int32_t notified = 0;  // listeners: pods added, or (below 0) removed
    Presence presence = Presence::Stays;
  };

  bool exists(PodId pod) const { return pod.value < cluster_.pods().size(); }
  void shift(PodClassId pod_class, NodeId node, int64_t now, int64_t future);
  void note_slots(Slots slots);
  void notify_slots(const Slots& slots, int32_t notified);
  void promise_slots(Presence presence);

  static constexpr int64_t kHeldPods = kWholeNode;

  void shift_room(std::span<const NodeId> nodes, int64_t pods);
  void shift_room(std::span<const HeldRoom> rooms, int64_t times);
  void take(int64_t& cell, int64_t amount) { log_.set(cell, take_amount(cell, amount)); }
  void take_devices(PodId pod, NodeId node, FitMode mode, const GpuGrant& grant);
  void return_devices(PodId pod, NodeId node);
  void cap_now(ResourceId resource, NodeId node);
  void charge(const PodKey& key, NodeId node, int64_t times);
  void count_pod(const PodKey& key, int64_t placed, int64_t waiting);
  void note_leaving(NodeId node);
  void move_pod(PodId pod, PodState state, UndoLog::Note::Kind kind);
  void notify_listeners(UndoLog::Note note);
  void notify_undone(UndoLog::Note note);
  template <class Notify>
  void each_listener(UndoLog::Note note, Notify notify);

  const Cluster& cluster_;
  Snapshot& snapshot_;
  const Hooks& hooks_;
  UndoLog log_;
  std::vector<Decision> decisions_;
  PodClassId entered_;        // by enter_slot(), until the next placement
  std::vector<Slots> slots_;  // since the last commit
  // Slots that listeners were notified of, by class and node; never iterated.
  struct SlotCounts {
    int32_t stay = 0;
    int32_t promised = 0;
    int32_t spares = 0;
  };
  absl::flat_hash_map<uint64_t, SlotCounts> notified_;
  std::vector<WorkloadId> workloads_;  // whose quota was touched since then
};

}  // namespace trellis
