#include "actions/workloads/queue_heads.h"

namespace trellis {

QueueHeads::QueueHeads(const Session& session, ClusterQueueId queue)
    : session_(&session), queue_(queue) {
  for (const WorkloadLine& line : session.snapshot().workloads().lines().of(queue)) {
    if (!line.empty()) lines_.push_back({line.begin(), line.end()});
  }
  choose();
}

void QueueHeads::choose() {
  first_.reset();
  for (size_t i = 0; i < lines_.size(); ++i) {
    Cursor& line = lines_[i];
    while (line.next != line.end && backs_off(*line.next)) ++line.next;
    if (line.next == line.end) continue;
    if (!first_ || *lines_[i].next < *lines_[*first_].next) first_ = i;
  }
}

bool QueueHeads::backs_off(const WorkloadTurnKey& turn) const {
  return trellis::backs_off(session_->cluster().workloads()[turn.workload], session_->now());
}

WorkloadId QueueHeads::head() const {
  return first_ ? lines_[*first_].next->workload : WorkloadId();
}

void QueueHeads::pass() {
  ++lines_[*first_].next;
  choose();
}

void QueueHeads::fail(std::vector<WorkloadId>& behind) {
  const ClusterQueue& record = session_->cluster().workloads().cluster_queues()[queue_];
  auto drain = [&](Cursor& line) {
    for (; line.next != line.end; ++line.next) {
      if (!backs_off(*line.next)) behind.push_back(line.next->workload);
    }
  };
  Cursor& line = lines_[*first_];
  ++line.next;
  drain(line);
  if (record.queueing == QueueingStrategy::StrictFifo) {
    for (Cursor& other : lines_) drain(other);
  }
  choose();
}

}  // namespace trellis
