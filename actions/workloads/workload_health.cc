#include "actions/workloads/workload_health.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "actions/workloads/admission.h"
#include "actions/workloads/node_replacement.h"

namespace trellis {
namespace {

class HealthCheck {
 public:
  explicit HealthCheck(Session& session)
      : session_(session), blocks_(session.config().wait_for_pods_ready.block_admission) {
    for (const LocalQueue& queue : session.cluster().workloads().local_queues().all()) {
      drains_ = drains_ || queue.stop == StopPolicy::HoldAndDrain;
    }
  }

  bool run() {
    const Cluster& cluster = session_.cluster();
    for (WorkloadId id : to_look_at()) look_at(id, cluster.workloads()[id]);
    if (!waiting_ || !blocks_) return true;
    hold_admission(session_);
    return false;
  }

 private:
  // Holders for which something may have to be done; by name.
  std::vector<WorkloadId> to_look_at() const {
    const Cluster& cluster = session_.cluster();
    std::vector<WorkloadId> found;
    for (WorkloadId id : session_.snapshot().workloads().holders()) {
      if (blocks_ || may_ail(id, cluster.workloads()[id])) found.push_back(id);
    }
    cluster.workloads().sort_by_name(found, cluster.vocabulary().strings);
    return found;
  }

  // Cheap, and false only where look_at() would do nothing.
  bool may_ail(WorkloadId id, const Workload& workload) const {
    const WorkloadLedger& ledger = session_.snapshot().workloads();
    const auto& queues = session_.cluster().workloads().cluster_queues();
    return drains_ || !workload.active ||
           queues[ledger.queue_of(id)].stop == StopPolicy::HoldAndDrain || is_overdue(workload) ||
           lacks_topology(*workload.admission) || may_have_lost_slots(session_, id);
  }

  void look_at(WorkloadId id, const Workload& workload) {
    Reason reason = why_it_must_go(workload);
    if (reason.code != ReasonCode::None) return evict(session_, id, std::move(reason));
    if (lacks_topology(*workload.admission)) {
      if (workload.checks_pending || !place_delayed(session_, id)) report_no_place(id);
      return;
    }
    std::string failed;
    if (!replace_lost_slots(session_, id, failed)) {
      Reason lost{.code = ReasonCode::NodeFailures, .plugin = "admit", .subject = failed};
      return evict(session_, id, std::move(lost));
    }
    // Pods whose state is not reported are not ready yet.
    waiting_ = waiting_ || workload.pods_ready != PodsReady::Ready;
  }

  Reason why_it_must_go(const Workload& workload) const {
    Reason reason;
    reason.plugin = "admit";
    const WorkloadRecords& records = session_.cluster().workloads();
    const StringTable& strings = session_.cluster().vocabulary().strings;
    if (!workload.active) {
      reason.code = ReasonCode::Deactivated;
      return reason;
    }
    ClusterQueueId queue =
        records.cluster_queues().find(strings.view(workload.admission->cluster_queue));
    if (queue.valid() && records.cluster_queues()[queue].stop == StopPolicy::HoldAndDrain) {
      reason.code = ReasonCode::ClusterQueueStopped;
      reason.subject = records.cluster_queues()[queue].name;
      return reason;
    }
    LocalQueueId local = local_queue_of(session_.cluster(), workload);
    if (local.valid() && records.local_queues()[local].stop == StopPolicy::HoldAndDrain) {
      reason.code = ReasonCode::LocalQueueStopped;
      reason.subject = records.local_queues()[local].name;
      return reason;
    }
    if (is_overdue(workload)) {
      reason.code = may_come_back(workload) ? ReasonCode::PodsReadyTimeout
                                            : ReasonCode::DeactivatedDueToRequeuingLimitExceeded;
    }
    return reason;
  }

  bool may_come_back(const Workload& workload) const {
    int64_t limit = session_.config().requeuing.backoff_limit;
    return limit < 0 || workload.requeues < limit;
  }

  bool is_overdue(const Workload& workload) const {
    TimeUs end = pods_ready_deadline(workload, session_.config().wait_for_pods_ready);
    return end != kNoTime && session_.now() >= end;
  }

  void report_no_place(WorkloadId id) {
    Reason reason{.code = ReasonCode::PendingDelayedTopologyRequests, .plugin = "admit"};
    session_.set_reasons(
        id, std::make_shared<const std::vector<Reason>>(std::vector<Reason>{std::move(reason)}));
  }

  Session& session_;
  bool blocks_ = false;   // no workload is admitted while the pods of one are not ready
  bool drains_ = false;   // some LocalQueue drains its workloads
  bool waiting_ = false;  // the pods of a workload are not ready
};

}  // namespace

void hold_admission(Session& session) {
  auto shared = std::make_shared<const std::vector<Reason>>(waits_for_others());
  const WorkloadLedger& ledger = session.snapshot().workloads();
  for (uint32_t i = 0; i < ledger.classes().size(); ++i) {
    session.set_reasons(WorkloadClassId(i), shared);
  }
  for (WorkloadId id : ledger.delayed()) session.set_reasons(id, shared);
}

bool check_health(Session& session) { return HealthCheck(session).run(); }

std::vector<Reason> waits_for_others() {
  return {{.code = ReasonCode::WaitingForPodsReady, .plugin = "admit"}};
}

}  // namespace trellis
