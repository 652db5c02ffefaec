// The workload of a ClusterQueue whose turn it is: the first of the heads of its WorkloadClasses
// that have not failed in this cycle.
//
// A WorkloadClass contains workloads that request the same (session/snapshot/workload_classes.h):
// when its first workload finds no place, the others are not tried. In a StrictFIFO queue no
// workload is tried after one that failed. Workloads that back off (waitForPodsReady), and those
// that keep a place they were promised, are skipped, as if they were not there.
//
// HeadsInTurn has the heads of all queues, in the order in which Kueue serves them: by borrowing,
// priority and time, or by fair shares, as the plugin `quota` compares them. Cost: a look at the
// quota of each head, again when workloads below the same root cohort were decided about.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "actions/workloads/nomination.h"
#include "framework/quota_rules.h"
#include "session/cycle/session.h"

namespace trellis {

class QueueHeads {
 public:
  QueueHeads(const PlacementContext& context, ClusterQueueId queue);

  ClusterQueueId queue() const { return queue_; }
  // kNone: no workload is left.
  WorkloadId head() const;
  // The turn of the head. REQUIRES: there is one.
  const WorkloadTurnKey& turn() const;
  // The head was admitted (or waits for others to leave): the next workload of its class follows.
  void pass();
  // The head found no place: its class is out for the cycle, and in a StrictFIFO queue all classes
  // are. Appends the ids of those classes.
  void fail(std::vector<WorkloadClassId>& classes);
  // All classes are out.
  void fail_all(std::vector<WorkloadClassId>& classes);

 private:
  struct Cursor {
    WorkloadClassId id;
    WorkloadClass::const_iterator next;
    WorkloadClass::const_iterator end;
  };
  void choose();
  bool skips(const WorkloadTurnKey& turn) const;

  const PlacementContext* context_;
  ClusterQueueId queue_;
  std::vector<Cursor> classes_;
  std::optional<size_t> first_;  // class of the head
};

class HeadsInTurn {
 public:
  // What a check of the quota alone found for a head.
  struct Outlook {
    WorkloadId head;  // the workload that the other members describe; kNone: to be found again
    bool has_quota = false;
    bool has_victims = false;  // the head has no quota, but others may leave
    std::vector<QuotaAmount> amounts;
    std::vector<Reason> reasons;  // why the head has no quota
  };

  // REQUIRES: the plugin `quota` is there, and the nominator outlives this object.
  HeadsInTurn(Session& session, Nominator& nominator);

  // The queue whose head is next; null: no head is left. Valid until the next call.
  QueueHeads* next();
  // Of the head of next(), and handed over: the next look finds it again.
  Outlook take_outlook();
  // A workload of the queue of next() was decided about: what heads find depends on the quota that
  // is held below the same root.
  void forget_cohort();
  std::vector<QueueHeads>& queues() { return queues_; }

 private:
  void look_at(size_t queue);
  QuotaNodeId root_of(ClusterQueueId queue) const;

  Session& session_;
  Nominator& nominator_;
  size_t next_ = 0;
  std::vector<QueueHeads> queues_;
  std::vector<Outlook> outlooks_;    // of each queue's head
  std::vector<WorkloadTurn> turns_;  // of each queue's head, for the quota rules
};

}  // namespace trellis
