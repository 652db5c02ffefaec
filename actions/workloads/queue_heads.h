// Whose turn it is: the first workload of each line of a ClusterQueue, as long as its line has not
// failed in this cycle.
//
// A line is workloads that ask for the same (session/snapshot/workload_lines.h): when its first
// finds no place, the others are not tried. In a StrictFIFO queue no workload is tried after a
// first that failed. Those that back off (waitForPodsReady) are passed over, as if they were not
// there.
#pragma once

#include <optional>
#include <vector>

#include "session/cycle/session.h"

namespace trellis {

class QueueHeads {
 public:
  QueueHeads(const Session& session, ClusterQueueId queue);

  ClusterQueueId queue() const { return queue_; }
  // kNone: no workload is left.
  WorkloadId head() const;
  // The head was admitted (or waits for others to leave): the next of its line comes up.
  void pass();
  // The head found no place: its line is out for the cycle, and in a StrictFIFO queue all are.
  // Appends those lines.
  void fail(std::vector<WorkloadLineId>& lines);
  // All lines are out.
  void fail_all(std::vector<WorkloadLineId>& lines);

 private:
  struct Cursor {
    WorkloadLineId id;
    WorkloadLine::const_iterator next;
    WorkloadLine::const_iterator end;
  };
  void choose();
  bool backs_off(const WorkloadTurnKey& turn) const;

  const Session* session_;
  ClusterQueueId queue_;
  std::vector<Cursor> lines_;
  std::optional<size_t> first_;  // line of the head
};

}  // namespace trellis
