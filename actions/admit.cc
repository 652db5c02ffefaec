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
      : session_(session),
        nominator_(session),
        preemption_(session, nominator_),
        heads_(session, nominator_) {}

  void run() {
    while (QueueHeads* next = heads_.next()) {
      size_t decided = session_.workload_decisions().size();
      bool admitted = serve(*next, heads_.take_outlook());
      if (admitted && session_.config().wait_for_pods_ready.block_admission) return hold_rest();
      if (session_.workload_decisions().size() != decided) heads_.forget_cohort();
    }
  }

 private:
  // True: the head was admitted.
  bool serve(QueueHeads& queue, HeadsInTurn::Outlook outlook) {
    WorkloadId head = queue.head();
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
    for (QueueHeads& queue : heads_.queues()) queue.fail_all(classes);
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
  HeadsInTurn heads_;
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
  // First: slots that name no node are put beside what gangs are promised, as they were when it was
  // promised, and new workloads take none of it.
  keep_promises(session, "admit");
  keep_loose_slots(session);
  DaemonRoom daemons(session);
  bool open = check_health(session);
  if (keep_workload_promises(session, open ? Admissions::Open : Admissions::Held)) {
    Admitter(session).run();
  }
}

}  // namespace trellis
