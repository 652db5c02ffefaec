#include "actions/workloads/queue_heads.h"

#include <algorithm>
#include <utility>

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

HeadsInTurn::HeadsInTurn(Session& session, Nominator& nominator)
    : session_(session), nominator_(nominator) {
  const WorkloadRecords& records = session_.cluster().workloads();
  const WorkloadLedger& ledger = session_.snapshot().workloads();
  std::vector<ClusterQueueId> ids;
  for (uint32_t i = 0; i < records.cluster_queues().size(); ++i) {
    ClusterQueueId id(i);
    bool open = records.cluster_queues().alive(id) && ledger.tree().node(id).valid() &&
                ledger.classes().waiting(id) > 0;
    if (open) ids.push_back(id);
  }
  std::sort(ids.begin(), ids.end(), [&](ClusterQueueId a, ClusterQueueId b) {
    return records.cluster_queues()[a].name < records.cluster_queues()[b].name;
  });
  for (ClusterQueueId id : ids) {
    QueueHeads heads(session_, id);
    if (heads.head().valid()) queues_.push_back(std::move(heads));
  }
  outlooks_.resize(queues_.size());
  turns_.resize(queues_.size());
}

QueueHeads* HeadsInTurn::next() {
  for (size_t i = queues_.size(); i-- > 0;) {
    if (queues_[i].head().valid()) continue;
    auto at = static_cast<std::ptrdiff_t>(i);
    queues_.erase(queues_.begin() + at);
    outlooks_.erase(outlooks_.begin() + at);
    turns_.erase(turns_.begin() + at);
  }
  if (queues_.empty()) return nullptr;
  for (size_t i = 0; i < queues_.size(); ++i) {
    if (outlooks_[i].head != queues_[i].head()) look_at(i);
  }
  next_ = queues_.size() == 1 ? 0 : session_.hooks().quota_rules->first(turns_);
  return &queues_[next_];
}

HeadsInTurn::Outlook HeadsInTurn::take_outlook() {
  return std::exchange(outlooks_[next_], Outlook());
}

void HeadsInTurn::look_at(size_t queue) {
  const QueueHeads& heads = queues_[queue];
  Outlook& outlook = outlooks_[queue];
  WorkloadTurn& turn = turns_[queue];
  Nomination nomination;
  nominator_.begin(heads.head(), heads.queue());
  outlook.head = heads.head();
  outlook.has_quota = nominator_.find(Nominator::Need::Quota, nomination);
  outlook.has_victims = !outlook.has_quota && nominator_.find(Nominator::Need::Victims, nomination);
  bool found = outlook.has_quota || outlook.has_victims;
  outlook.amounts.clear();
  if (found) outlook.amounts = std::move(nomination.amounts);
  outlook.reasons = nominator_.take_reasons();
  turn.workload = heads.head();
  turn.queue = heads.queue();
  turn.borrowing = found ? nomination.borrowing : 0;
  turn.amounts = outlook.amounts;
}

void HeadsInTurn::forget_cohort() {
  QuotaNodeId root = root_of(queues_[next_].queue());
  for (size_t i = 0; i < queues_.size(); ++i) {
    if (root_of(queues_[i].queue()) == root) outlooks_[i].head = WorkloadId();
  }
}

QuotaNodeId HeadsInTurn::root_of(ClusterQueueId queue) const {
  const QuotaTree& tree = session_.snapshot().workloads().tree();
  QuotaNodeId node = tree.node(queue);
  while (tree.parent(node).valid()) node = tree.parent(node);
  return node;
}

}  // namespace trellis
