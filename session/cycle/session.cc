#include "session/cycle/session.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "framework/append.h"
#include "framework/running_since.h"
#include "session/cluster/gang_life.h"

namespace trellis {

bool Session::gang_before(GangId a, GangId b) const {
  for (const auto& order : hooks().gang_orders) {
    if (int verdict = order.point->compare(a, b); verdict != 0) return verdict < 0;
  }
  const Gang& x = cluster().gangs()[a];
  const Gang& y = cluster().gangs()[b];
  if (x.created != y.created) return x.created < y.created;
  if (x.name_space != y.name_space) {
    const StringTable& strings = cluster().vocabulary().strings;
    return strings.view(x.name_space) < strings.view(y.name_space);
  }
  return x.name < y.name;
}

void Session::commit(std::string_view action) {
  for (const Decision& decision : statement().commit(action)) {
    append(decisions_, decision);
    if (decision.kind == Decision::Kind::Evict) continue;
    GangId gang = snapshot().key(decision.pod).gang;
    if (!placed_here_.contains(gang)) placed_here_.resize(cluster().gangs().size());
    placed_here_[gang] = 1;
  }
}

void Session::set_reasons(GangId gang, std::vector<Reason> reasons) {
  reasons_[gang.value] = std::move(reasons);
}

void Session::add_reason(GangId gang, Reason reason) {
  reasons_[gang.value].push_back(std::move(reason));
}

std::vector<GangId> Session::gangs_with_reasons() const {
  std::vector<GangId> gangs;
  for (const auto& [gang, reasons] : reasons_) {
    if (!reasons.empty()) gangs.emplace_back(gang);
  }
  std::sort(gangs.begin(), gangs.end());
  return gangs;
}

void Session::decide(WorkloadDecision decision) {
  last_decision_[decision.workload.value] = workload_decisions_.size();
  workload_decisions_.push_back(std::move(decision));
}

const Admission* Session::admission(WorkloadId workload) const {
  auto last = last_decision_.find(workload.value);
  if (last != last_decision_.end()) {
    const WorkloadDecision& decision = workload_decisions_[last->second];
    return promises(decision) ? nullptr : decision.admission.get();
  }
  const Workload& record = cluster().workloads()[workload];
  return record.admission ? &*record.admission : nullptr;
}

void Session::keep_loose(WorkloadId workload, std::span<const SlotFill> fills) {
  if (!loose_.contains(workload)) loose_.resize(cluster().workloads().workloads().size());
  loose_[workload].insert(loose_[workload].end(), fills.begin(), fills.end());
}

void Session::replay(const WorkloadDecision& decision) {
  bool waits = promises(decision);
  bool takes = waits || decision.kind == WorkloadDecision::Kind::Admit;
  for (const SlotFill& fill : decision.left) {
    statement().leave_slots(fill.pod_class, fill.node, fill.count);
  }
  if (evicts(decision)) statement().release_quota(decision.workload);
  if (takes) statement().hold_quota(decision.workload, decision.queue, decision.amounts);
  for (const SlotFill& fill : decision.slots) {
    statement().take_slots(fill.pod_class, fill.node, fill.count,
                           waits ? FitMode::Future : FitMode::Now);
  }
  decide(decision);
}

void Session::set_reasons(WorkloadId workload, SharedReasons reasons) {
  workload_reasons_.emplace_back(workload, std::move(reasons));
}

void Session::set_reasons(WorkloadClassId id, SharedReasons reasons) {
  if (!class_reasons_.contains(id)) class_reasons_.resize(snapshot().workloads().classes().size());
  class_reasons_[id] = std::move(reasons);
}

TimeUs Session::waiting_since(GangId gang) const {
  TimeUs latest = cluster().gangs()[gang].created;
  for (PodId pod : cluster().pods_of(gang)) {
    if (snapshot().pod(pod).status != PodStatus::Pending) continue;
    latest = std::max(latest, cluster().pods()[pod].pod.created);
  }
  return latest;
}

WorkloadOutcomes Session::workload_outcomes() const {
  const WorkloadRecords& workloads = cluster().workloads();
  WorkloadOutcomes outcomes(snapshot().workloads().states(), class_reasons_);
  for (const auto& [workload, reasons] : workload_reasons_) {
    outcomes.own(workload).reasons = reasons;
  }
  for (const WorkloadDecision& decision : workload_decisions_) {
    if (decision.kind == WorkloadDecision::Kind::Lapse) continue;
    WorkloadOutcome& outcome = outcomes.own(decision.workload);
    auto one = [](const Reason& reason) {
      return std::make_shared<const std::vector<Reason>>(std::vector<Reason>{reason});
    };
    bool pending = workloads[decision.workload].checks_pending;
    outcome.admission = decision.admission;
    switch (decision.kind) {
      case WorkloadDecision::Kind::Admit:
      case WorkloadDecision::Kind::Reassign:
        outcome.status = pending ? WorkloadStatus::Reserved : WorkloadStatus::Admitted;
        break;
      case WorkloadDecision::Kind::Await:
        outcome.status = WorkloadStatus::Pending;
        outcome.admission = nullptr;
        outcome.reasons = one(decision.reason);
        break;
      case WorkloadDecision::Kind::Promise:
        outcome.status = WorkloadStatus::Pending;
        outcome.admission = nullptr;
        outcome.promised = decision.admission;
        outcome.reasons = one(decision.reason);
        break;
      case WorkloadDecision::Kind::Evict:
        outcome.status = WorkloadStatus::Evicted;
        outcome.reasons = one(decision.reason);
        break;
      case WorkloadDecision::Kind::Move:
        outcome.status = WorkloadStatus::Evicted;
        outcome.admission = nullptr;
        outcome.promised = decision.admission;
        outcome.moved_for = decision.by;
        outcome.reasons = one(decision.reason);
        break;
      case WorkloadDecision::Kind::Lapse:
        break;
    }
  }
  return outcomes;
}

namespace {

class NextChange {
 public:
  explicit NextChange(const Session& session)
      : session_(session), cluster_(session.cluster()), limits_(session.config().limits) {}

  TimeUs find() {
    collect_min_runtimes();
    // Without minimum run times, time passes only for gangs that lack pods.
    if (lengths_.empty()) {
      for (GangId gang : session_.snapshot().unsettled_gangs()) look_at(gang);
    } else {
      for (uint32_t i = 0; i < cluster_.gangs().size(); ++i) look_at(GangId(i));
    }
    if (limits_.leaving_grace_period_us >= 0) {
      consider(session_.snapshot().first_leaver(), limits_.leaving_grace_period_us);
    }
    const WorkloadLedger& ledger = session_.snapshot().workloads();
    const WorkloadRecords& workloads = cluster_.workloads();
    for (WorkloadId id : ledger.holders()) {
      consider(pods_ready_deadline(workloads[id], session_.config().wait_for_pods_ready), 0);
    }
    for (WorkloadId id : ledger.delayed()) consider(workloads[id].requeue_at, 0);
    if (session_.appointments() != nullptr) {
      for (const Appointment& one : *session_.appointments()) consider(one.start, 0);
    }
    for (const auto& [name, reservation] : cluster_.reservations()) {
      consider(reservation.from, 0);
      consider(reservation.to, 0);
    }
    const Defragmentation& moves = session_.config().defragmentation;
    if (moves.enabled) {
      consider(moves.window.next_opening(session_.now()), 0);
      consider(cluster_.moved_gpus().since, kHourUs);
    }
    return earliest_;
  }

 private:
  // Whose minimum counts depends on the gang that would move others, so every length that might
  // count is taken.
  void collect_min_runtimes() {
    const QueuesConfig& queues = session_.config().queues;
    for (TimeUs length :
         {queues.default_preempt_min_runtime_us, queues.default_reclaim_min_runtime_us}) {
      if (length > 0) lengths_.push_back(length);
    }
    for (const Queue& queue : cluster_.queues()) {
      for (const auto& length : {queue.preempt_min_runtime_us, queue.reclaim_min_runtime_us}) {
        if (length.value_or(0) > 0) lengths_.push_back(*length);
      }
    }
    std::sort(lengths_.begin(), lengths_.end());
    lengths_.erase(std::unique(lengths_.begin(), lengths_.end()), lengths_.end());
  }

  void look_at(GangId id) {
    if (!cluster_.alive(id)) return;
    const Gang& gang = cluster_.gangs()[id];
    const GangCounts& counts = session_.snapshot().gang_counts()[id];
    if (gang.stale_since != kNoTime && staleness_grace_us(gang, limits_) >= 0) {
      consider(gang.stale_since, staleness_grace_us(gang, limits_));
    }
    bool delayed = gang.preemption_delay_us > 0 || limits_.reserve_after_us > 0;
    if (counts.waiting > 0 && delayed) {
      TimeUs since = session_.waiting_since(id);
      if (gang.preemption_delay_us > 0) consider(since, gang.preemption_delay_us);
      if (limits_.reserve_after_us > 0) consider(since, limits_.reserve_after_us);
    }
    if (lengths_.empty() || counts.placed == 0) return;
    TimeUs started = running_since(gang, cluster_.pods(), cluster_.pods_of(id));
    for (TimeUs length : lengths_) consider(started, length);
  }

  void consider(TimeUs since, TimeUs length) {
    if (since == kNoTime) return;
    TimeUs end = since + length;
    if (end > session_.now() && (earliest_ == kNoTime || end < earliest_)) earliest_ = end;
  }

  const Session& session_;
  const Cluster& cluster_;
  const Limits& limits_;
  std::vector<TimeUs> lengths_;  // of minimum run times; sorted
  TimeUs earliest_ = kNoTime;
};

}  // namespace

TimeUs next_change(const Session& session) { return NextChange(session).find(); }

}  // namespace trellis
