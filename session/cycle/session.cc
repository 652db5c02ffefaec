#include "session/cycle/session.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "framework/gang_minimum.h"

namespace trellis {
bool Session::gang_before(GangId a, GangId b) const {
  for (const auto& order : hooks_.gang_orders) {
    if (int verdict = order.point->compare(a, b); verdict != 0) return verdict < 0;
  }
  const Gang& x = cluster_.gangs()[a];
  const Gang& y = cluster_.gangs()[b];
  if (x.created != y.created) return x.created < y.created;
  if (x.name_space != y.name_space) {
    const StringTable& strings = cluster_.vocabulary().strings;
    return strings.view(x.name_space) < strings.view(y.name_space);
  }
  return x.name < y.name;
}

bool Session::ranks_before(PodId a, PodId b) const {
  const Pod& x = cluster_.pods()[a].pod;
  const Pod& y = cluster_.pods()[b].pod;
  // Shorter first, so that w-2 stands before w-10.
  return std::tuple(snapshot_.key(a).subgroup, x.completion_index, x.name.size(),
                    std::string_view(x.name)) < std::tuple(snapshot_.key(b).subgroup,
                                                           y.completion_index, y.name.size(),
                                                           std::string_view(y.name));
}

bool Session::pod_before(PodId a, PodId b) const {
  for (const auto& order : hooks_.pod_orders) {
    if (int verdict = order.point->compare(a, b); verdict != 0) return verdict < 0;
  }
  return ranks_before(a, b);
}

std::vector<PodId> Session::ranked_pods(GangId gang) const {
  std::vector<PodId> ranked;
  for (PodId pod : cluster_.pods_of(gang)) {
    PodStatus status = snapshot_.pod(pod).status;
    if (status != PodStatus::Failed && status != PodStatus::Releasing) ranked.push_back(pod);
  }
  auto before = [&](PodId a, PodId b) { return ranks_before(a, b); };
  // Generated pods mostly come in order.
  if (!std::is_sorted(ranked.begin(), ranked.end(), before)) {
    std::sort(ranked.begin(), ranked.end(), before);
  }
  return ranked;
}

bool Session::has_minimum(GangId gang) const {
  return trellis::has_minimum(cluster_.gangs()[gang], snapshot_.gang_counts()[gang],
                              snapshot_.subgroup_counts()[gang]);
}

std::vector<PodId> Session::waiting_pods(GangId gang) const {
  std::vector<PodId> waiting;
  waiting_pods(gang, waiting);
  return waiting;
}

void Session::waiting_pods(GangId gang, std::vector<PodId>& waiting) const {
  waiting.clear();
  for (PodId pod : cluster_.pods_of(gang)) {
    if (snapshot_.pod(pod).status != PodStatus::Pending) continue;
    if (snapshot_.key(pod).hold == PodHold::None) waiting.push_back(pod);
  }
  auto before = [&](PodId a, PodId b) { return pod_before(a, b); };
  if (!std::is_sorted(waiting.begin(), waiting.end(), before)) {
    std::sort(waiting.begin(), waiting.end(), before);
  }
}

std::vector<NodeId> Session::placed_nodes(GangId gang) const {
  std::vector<NodeId> nodes;
  placed_nodes(gang, nodes);
  return nodes;
}

void Session::placed_nodes(GangId gang, std::vector<NodeId>& nodes) const {
  nodes.clear();
  for (PodId pod : cluster_.pods_of(gang)) {
    PodState state = snapshot_.pod(pod);
    if (stays(state.status) && state.node.valid()) nodes.push_back(state.node);
  }
}

int64_t Session::search_work(GangId gang) const {
  constexpr int64_t kFewBudgets = 4;
  constexpr size_t kNodeWork = 2;
  constexpr size_t kPodWork = 64;
  int64_t most = config_.limits.search_budget;
  int64_t halvings = std::min<int64_t>(exhausted_work_ / most / kFewBudgets, 62);
  auto least = static_cast<int64_t>(kNodeWork * cluster_.nodes().size() +
                                    kPodWork * cluster_.pods_of(gang).size());
  return std::max(most >> halvings, std::min(most, least));
}

void Session::commit(std::string_view action) {
  for (const Decision& decision : statement_.commit()) {
    decisions_.push_back({decision, action});
    if (decision.kind == Decision::Kind::Evict) continue;
    GangId gang = snapshot_.key(decision.pod).gang;
    if (!placed_here_.contains(gang)) placed_here_.resize(cluster_.gangs().size());
    placed_here_[gang] = 1;
  }
}

void Session::set_reasons(GangId gang, std::vector<Reason> reasons) {
  if (!reasons_.contains(gang)) reasons_.resize(cluster_.gangs().size());
  reasons_[gang] = std::move(reasons);
}

void Session::add_reason(GangId gang, Reason reason) {
  if (!reasons_.contains(gang)) reasons_.resize(cluster_.gangs().size());
  reasons_[gang].push_back(std::move(reason));
}

std::vector<GangId> Session::gangs_with_reasons() const {
  std::vector<GangId> gangs;
  for (uint32_t i = 0; i < reasons_.size(); ++i) {
    if (!reasons_[GangId(i)].empty()) gangs.emplace_back(i);
  }
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
    bool waits = decision.kind == WorkloadDecision::Kind::Await;
    return waits ? nullptr : decision.admission.get();
  }
  const Workload& record = cluster_.workloads()[workload];
  return record.admission ? &*record.admission : nullptr;
}

void Session::keep_loose(WorkloadId workload, std::span<const SlotFill> fills) {
  if (!loose_.contains(workload)) loose_.resize(cluster_.workloads().workloads().size());
  loose_[workload].insert(loose_[workload].end(), fills.begin(), fills.end());
}

void Session::replay(const WorkloadDecision& decision) {
  bool takes = decision.kind == WorkloadDecision::Kind::Admit ||
               decision.kind == WorkloadDecision::Kind::Await;
  bool waits = decision.kind == WorkloadDecision::Kind::Await;
  for (const SlotFill& fill : decision.left) {
    statement_.leave_slots(fill.pod_class, fill.node, fill.count);
  }
  if (decision.kind == WorkloadDecision::Kind::Evict) statement_.release_quota(decision.workload);
  if (takes) statement_.hold_quota(decision.workload, decision.queue, decision.amounts);
  for (const SlotFill& fill : decision.slots) {
    statement_.take_slots(fill.pod_class, fill.node, fill.count,
                          waits ? FitMode::Future : FitMode::Now);
  }
  decide(decision);
}

void Session::set_reasons(WorkloadId workload, SharedReasons reasons) {
  workload_reasons_.emplace_back(workload, std::move(reasons));
}

void Session::set_reasons(WorkloadLineId line, SharedReasons reasons) {
  if (!line_reasons_.contains(line)) line_reasons_.resize(snapshot_.workloads().lines().size());
  line_reasons_[line] = std::move(reasons);
}

TimeUs Session::waiting_since(GangId gang) const {
  TimeUs latest = cluster_.gangs()[gang].created;
  for (PodId pod : cluster_.pods_of(gang)) {
    if (snapshot_.pod(pod).status != PodStatus::Pending) continue;
    latest = std::max(latest, cluster_.pods()[pod].pod.created);
  }
  return latest;
}

WorkloadOutcomes Session::workload_outcomes() const {
  const WorkloadRecords& workloads = cluster_.workloads();
  WorkloadOutcomes outcomes(snapshot_.workloads().standings(), line_reasons_);
  for (const auto& [workload, reasons] : workload_reasons_) {
    outcomes.own(workload).reasons = reasons;
  }
  for (const WorkloadDecision& decision : workload_decisions_) {
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
      case WorkloadDecision::Kind::Evict:
        outcome.status = WorkloadStatus::Evicted;
        outcome.reasons = one(decision.reason);
        break;
    }
  }
  return outcomes;
}

}  // namespace trellis
