#include "actions/workloads/queue_heads.h"

namespace trellis {

QueueHeads::QueueHeads(const Session& session, ClusterQueueId queue)
    : session_(&session), queue_(queue) {
  const WorkloadLines& lines = session.snapshot().workloads().lines();
  for (WorkloadLineId line : lines.of(queue)) {
    if (!lines[line].empty()) lines_.push_back({line, lines[line].begin(), lines[line].end()});
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

void QueueHeads::fail(std::vector<WorkloadLineId>& lines) {
  lines.push_back(lines_[*first_].id);
  lines_.erase(lines_.begin() + static_cast<std::ptrdiff_t>(*first_));
  const ClusterQueue& record = session_->cluster().workloads().cluster_queues()[queue_];
  if (record.queueing == QueueingStrategy::StrictFifo) fail_all(lines);
  choose();
}

void QueueHeads::fail_all(std::vector<WorkloadLineId>& lines) {
  for (const Cursor& line : lines_) lines.push_back(line.id);
  lines_.clear();
  first_.reset();
}

}  // namespace trellis
