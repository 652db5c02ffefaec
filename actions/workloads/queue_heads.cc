#include "actions/workloads/queue_heads.h"

namespace trellis {

QueueHeads::QueueHeads(const PlacementContext& context, ClusterQueueId queue)
    : context_(&context), queue_(queue) {
  const WorkloadClasses& classes = context.snapshot().workloads().classes();
  for (WorkloadClassId id : classes.of(queue)) {
    if (!classes[id].empty()) classes_.push_back({id, classes[id].begin(), classes[id].end()});
  }
  choose();
}

void QueueHeads::choose() {
  first_.reset();
  for (size_t i = 0; i < classes_.size(); ++i) {
    Cursor& cursor = classes_[i];
    while (cursor.next != cursor.end && skips(*cursor.next)) ++cursor.next;
    if (cursor.next == cursor.end) continue;
    if (!first_ || *classes_[i].next < *classes_[*first_].next) first_ = i;
  }
}

bool QueueHeads::skips(const WorkloadTurnKey& turn) const {
  bool holds = context_->snapshot().workloads().holdings()[turn.workload].held != 0;
  return holds || backs_off(context_->cluster().workloads()[turn.workload], context_->now());
}

const WorkloadTurnKey& QueueHeads::turn() const { return *classes_[*first_].next; }

WorkloadId QueueHeads::head() const {
  return first_ ? classes_[*first_].next->workload : WorkloadId();
}

void QueueHeads::pass() {
  ++classes_[*first_].next;
  choose();
}

void QueueHeads::fail(std::vector<WorkloadClassId>& classes) {
  classes.push_back(classes_[*first_].id);
  classes_.erase(classes_.begin() + static_cast<std::ptrdiff_t>(*first_));
  const ClusterQueue& record = context_->cluster().workloads().cluster_queues()[queue_];
  if (record.queueing == QueueingStrategy::StrictFifo) fail_all(classes);
  choose();
}

void QueueHeads::fail_all(std::vector<WorkloadClassId>& classes) {
  for (const Cursor& cursor : classes_) classes.push_back(cursor.id);
  classes_.clear();
  first_.reset();
}

}  // namespace trellis
