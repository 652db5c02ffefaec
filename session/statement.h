// A statement: an undoable set of decisions on the snapshot.
//
// Words: a checkpoint is a place in it; rollback(checkpoint) undoes all that came after; commit()
// makes everything so far final and yields it as decisions.
// Guarantees: a rollback to the start gives back the snapshot bit for bit; nodes that were touched
// stand in the change log either way.
// Cost: checkpoint O(1); place and evict O(resources of the pod); rollback O(what it undoes).
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "framework/gpu_grant.h"
#include "framework/plugin.h"
#include "session/cluster.h"
#include "session/decision.h"
#include "session/snapshot.h"
#include "session/undo_log.h"

namespace trellis {

class Statement {
 public:
  struct Checkpoint {
    UndoLog::Mark mark = 0;
    size_t decisions = 0;
  };

  Statement(const Cluster& cluster, Snapshot& snapshot, const Hooks& hooks)
      : cluster_(cluster), snapshot_(snapshot), hooks_(hooks) {}
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  Checkpoint checkpoint() const { return {log_.mark(), decisions_.size()}; }
  void rollback(Checkpoint checkpoint);
  void rollback() { rollback(Checkpoint{}); }

  // Puts a pod on a node: bound in FitMode::Now, promised in FitMode::Future. False, and nothing
  // done, when the node has no device for a share that it asks for.
  // `followers`: how many pods of its class may come after it, for which its devices leave room.
  // REQUIRES: its class fits the node in this mode; the pod is pending, or was told to leave by
  // this statement: then it is promised another place.
  [[nodiscard]] bool place(PodId pod, NodeId node, FitMode mode, int64_t followers = 0);
  // The same on devices that the caller has chosen; none for a pod that shares no GPU.
  void place_on(PodId pod, NodeId node, FitMode mode, const GpuGrant& devices);

  // Tells a running pod to leave, for gang `by`: its resources become free in future.
  // REQUIRES: the pod is bound or running.
  void evict(PodId pod, GangId by);

  // Keeps nodes out of every search until they are released; nothing else may happen to them
  // meanwhile.
  void hold_back(std::span<const NodeId> nodes) { shift_room(nodes, -kHeldPods); }
  void release(std::span<const NodeId> nodes) { shift_room(nodes, kHeldPods); }

  size_t decision_count() const { return decisions_.size(); }
  // Decisions since the last commit, oldest first.
  const std::vector<Decision>& decisions() const { return decisions_; }
  // Makes them final; the statement is empty afterwards.
  std::vector<Decision> commit();

 private:
  static constexpr int64_t kHeldPods = kMaxAmount / 2;  // more than any node takes

  void shift_room(std::span<const NodeId> nodes, int64_t pods);
  void take(int64_t& cell, int64_t amount) { log_.set(cell, cell - amount); }
  void take_devices(PodId pod, NodeId node, FitMode mode, const GpuGrant& grant);
  void return_devices(PodId pod, NodeId node);
  void cap_now(ResourceId resource, NodeId node);
  void charge(const PodKey& key, NodeId node, int64_t times);
  void count_pod(const PodKey& key, int64_t placed, int64_t waiting);
  void note_leaving(NodeId node);
  void move_pod(PodId pod, PodState state, UndoLog::Note::Kind kind);
  void tell_listeners(UndoLog::Note note);
  void tell_undone(UndoLog::Note note);
  template <class Tell>
  void each_listener(UndoLog::Note note, Tell tell);

  const Cluster& cluster_;
  Snapshot& snapshot_;
  const Hooks& hooks_;
  UndoLog log_;
  std::vector<Decision> decisions_;
};

}  // namespace trellis
