#include "session/gang_step.h"

#include <algorithm>

#include "session/placement/gang_rows.h"

namespace trellis {
namespace {

ReasonCode held_by(const Cluster& cluster, GangId gang) {
  ReasonCode code = ReasonCode::NotEnoughPods;
  for (PodId pod : cluster.pods_of(gang)) {
    PodHold hold = cluster.pods()[pod].pod.hold;
    if (hold == PodHold::SchedulingGates) return ReasonCode::SchedulingGated;
    if (hold == PodHold::OtherScheduler) code = ReasonCode::OtherScheduler;
  }
  return code;
}

ReasonCode no_fit_code(SearchResult result, const Gang& gang) {
  if (result == SearchResult::BudgetExhausted) return ReasonCode::SearchBudgetExhausted;
  return gang.topology.topology.valid() ? ReasonCode::TopologyNoFit : ReasonCode::NodesNoFit;
}

}  // namespace

Reason gang_refusal(const Session& session, GangId id) {
  const Gang& gang = session.cluster().gangs()[id];
  if (!gang.errors.empty()) return gang.errors.front();
  const GangCounts& counts = session.snapshot().gang_counts()[id];
  if (counts.placed < gang.min_member && counts.placed + counts.waiting < gang.min_member) {
    Reason reason;
    reason.code = held_by(session.cluster(), id);
    reason.needed = gang.min_member;
    reason.found = counts.placed + counts.waiting;
    return reason;
  }
  FeasibleNodes* feasible = session.hooks().feasible_nodes;
  return feasible == nullptr ? Reason() : feasible->refusal(id);
}

GangStep place_next(Session& session, GangSearch& search, GangId id) {
  const Gang& gang = session.cluster().gangs()[id];
  const GangCounts& counts = session.snapshot().gang_counts()[id];
  if (counts.waiting == 0) return {};
  std::vector<PodId> pods = session.waiting_pods(id);
  int64_t core = gang.min_member - counts.placed;
  if (core > 0) {
    SearchResult result = search.place(id, pods, core);
    if (result == SearchResult::Placed) return {GangStep::Result::Placed, ReasonCode::None, core};
    return {GangStep::Result::Waits, no_fit_code(result, gang), core};
  }
  // Above the minimum the first pod that fits goes; equal pods are asked about once.
  SearchResult worst = SearchResult::NoFit;
  for (const RowPods& row : group_rows(session.snapshot(), pods)) {
    SearchResult result = search.place(id, std::span(row.pods).first(1), 1);
    if (result == SearchResult::Placed) return {GangStep::Result::Placed, ReasonCode::None, 1};
    worst = std::max(worst, result);
  }
  return {GangStep::Result::Waits, no_fit_code(worst, gang), 1};
}

}  // namespace trellis
