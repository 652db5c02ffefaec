#include <algorithm>
#include <memory>
#include <utility>

#include "actions/actions.h"
#include "actions/waiting/promised_places.h"
#include "actions/workloads/admission.h"
#include "actions/workloads/kept_room.h"
#include "actions/workloads/preemption.h"
#include "actions/workloads/promised_workloads.h"
#include "actions/workloads/queue_heads.h"
#include "actions/workloads/workload_health.h"

namespace trellis {
namespace {

class Admitter {
 public:
  explicit Admitter(Session& session)
      : session_(session), nominator_(session), preemption_(session, nominator_) {}

  void run() {
    open_queues();
    while (true) {
      std::optional<size_t> next = next_queue();
      if (!next) return;
      size_t decided = session_.workload_decisions().size();
      bool admitted = serve(queues_[*next], outlooks_[*next]);
      if (admitted && session_.config().wait_for_pods_ready.block_admission) return hold_rest();
      if (session_.workload_decisions().size() != decided) forget_cohort(queues_[*next].queue());
      if (!queues_[*next].head().valid()) close_queue(static_cast<std::ptrdiff_t>(*next));
    }
  }

 private:
  // What a check of the quota alone found for a head.
  struct Outlook {
    WorkloadId head;  // the workload that the other members describe; kNone: to be found again
    bool has_quota = false;
    bool has_victims = false;  // the head has no quota, but others may leave
    std::vector<QuotaAmount> amounts;
    std::vector<Reason> reasons;  // why the head has no quota
  };

  void open_queues() {
    const WorkloadRecords& records = session_.cluster().workloads();
    std::vector<ClusterQueueId> ids;
    for (uint32_t i = 0; i < records.cluster_queues().size(); ++i) {
      ClusterQueueId id(i);
      bool open = records.cluster_queues().alive(id) &&
                  session_.snapshot().workloads().tree().node(id).valid() &&
                  session_.snapshot().workloads().classes().waiting(id) > 0;
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

  void close_queue(std::ptrdiff_t i) {
    queues_.erase(queues_.begin() + i);
    outlooks_.erase(outlooks_.begin() + i);
    turns_.erase(turns_.begin() + i);
  }

  std::optional<size_t> next_queue() {
    if (queues_.empty()) return std::nullopt;
    for (size_t i = 0; i < queues_.size(); ++i) {
      if (outlooks_[i].head != queues_[i].head()) look_at(queues_[i], outlooks_[i], turns_[i]);
    }
    return queues_.size() == 1 ? 0 : session_.hooks().quota_rules->first(turns_);
  }

  void look_at(const QueueHeads& queue, Outlook& outlook, WorkloadTurn& turn) {
    Nomination nomination;
    nominator_.begin(queue.head(), queue.queue());
    outlook.head = queue.head();
    outlook.has_quota = nominator_.find(Nominator::Need::Quota, nomination);
    outlook.has_victims =
        !outlook.has_quota && nominator_.find(Nominator::Need::Victims, nomination);
    bool found = outlook.has_quota || outlook.has_victims;
    outlook.amounts.clear();
    if (found) outlook.amounts = std::move(nomination.amounts);
    outlook.reasons = nominator_.take_reasons();
    turn.workload = queue.head();
    turn.queue = queue.queue();
    turn.borrowing = found ? nomination.borrowing : 0;
    turn.amounts = outlook.amounts;
  }

  // What heads find depends only on the quota that is held below the same root.
  void forget_cohort(ClusterQueueId queue) {
    QuotaNodeId root = root_of(queue);
    for (size_t i = 0; i < queues_.size(); ++i) {
      if (root_of(queues_[i].queue()) == root) outlooks_[i].head = WorkloadId();
    }
  }

  QuotaNodeId root_of(ClusterQueueId queue) const {
    const QuotaTree& tree = session_.snapshot().workloads().tree();
    QuotaNodeId node = tree.node(queue);
    while (tree.parent(node).valid()) node = tree.parent(node);
    return node;
  }

  // True: the head was admitted.
  bool serve(QueueHeads& queue, Outlook& outlook) {
    WorkloadId head = queue.head();
    outlook.head = WorkloadId();
    std::vector<Reason> reasons = std::move(outlook.reasons);
    if (outlook.has_quota) {
      nominator_.begin(head, queue.queue());
      Nomination nomination;
      if (nominator_.find(Nominator::Need::Fit, nomination)) {
        admit(session_, nomination);
        queue.pass();
        return true;
      }
      reasons = nominator_.take_reasons();
    }
    bool may_push_out = outlook.has_quota || outlook.has_victims;
    if (may_push_out && preemption_.run(head, queue.queue(), reasons)) {
      queue.pass();
      return false;
    }
    bool admitted = admit_partly(session_, nominator_, head, queue.queue());
    if (admitted) {
      queue.pass();
    } else {
      refuse(queue, head, std::move(reasons));
    }
    return admitted;
  }

  // Workloads start one after another: the others wait until the pods of the admitted one are
  // ready.
  void hold_rest() {
    auto shared = std::make_shared<const std::vector<Reason>>(waits_for_others());
    std::vector<WorkloadClassId> classes;
    for (QueueHeads& queue : queues_) queue.fail_all(classes);
    for (WorkloadClassId id : classes) session_.set_reasons(id, shared);
  }

  void refuse(QueueHeads& queue, WorkloadId head, std::vector<Reason> reasons) {
    auto shared = std::make_shared<const std::vector<Reason>>(std::move(reasons));
    std::vector<WorkloadClassId> classes;
    queue.fail(classes);
    const ClusterQueue& record = session_.cluster().workloads().cluster_queues()[queue.queue()];
    if (record.queueing == QueueingStrategy::StrictFifo) {
      session_.set_reasons(head, shared);
      Reason blocked{.code = ReasonCode::BehindHead, .plugin = "quota"};
      blocked.subject = session_.cluster().workloads()[head].name;
      shared = std::make_shared<const std::vector<Reason>>(std::vector<Reason>{blocked});
    }
    for (WorkloadClassId id : classes) session_.set_reasons(id, shared);
  }

  Session& session_;
  Nominator nominator_;
  PreemptionSearch preemption_;
  std::vector<QueueHeads> queues_;
  std::vector<Outlook> outlooks_;    // of each queue's head
  std::vector<WorkloadTurn> turns_;  // of each queue's head, for the quota rules
};

std::vector<Reason> backing_off() {
  return {{.code = ReasonCode::PodsReadyTimeout,
           .plugin = "admit",
           .subject = "queued again at status.requeueState.requeueAt"}};
}

// Sets the reason of workloads that back off.
void report_delayed(Session& session) {
  SharedReasons shared;
  for (WorkloadId id : session.snapshot().workloads().delayed()) {
    if (!backs_off(session.cluster().workloads()[id], session.now())) continue;
    if (!shared) shared = std::make_shared<const std::vector<Reason>>(backing_off());
    session.set_reasons(id, shared);
  }
}

}  // namespace

void admit(Session& session) {
  if (session.snapshot().workloads().empty()) return;
  report_delayed(session);
  if (session.hooks().quota_rules == nullptr) return;
  keep_loose_slots(session);
  DaemonRoom daemons(session);
  bool open = check_health(session);
  // Gangs first: what they are promised, allocate would give them only after new workloads.
  keep_promises(session, "admit");
  if (keep_workload_promises(session, open ? Admissions::Open : Admissions::Held)) {
    Admitter(session).run();
  }
}

}  // namespace trellis
