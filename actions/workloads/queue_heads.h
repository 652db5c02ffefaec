// The workload of a ClusterQueue whose turn it is: the first of the heads of its WorkloadClasses
// that have not failed in this cycle.
//
// A WorkloadClass contains workloads that request the same (session/snapshot/workload_classes.h):
// when its first workload finds no place, the others are not tried. In a StrictFIFO queue no
// workload is tried after one that failed. Workloads that back off (waitForPodsReady), and those
// that keep a place they were promised, are skipped, as if they were not there.
#pragma once

#include <optional>
#include <vector>

#include "session/placement/placement_context.h"

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

}  // namespace trellis
