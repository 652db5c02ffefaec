#include "session/gang_step.h"

#include <algorithm>
#include <utility>

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

std::vector<Reason> gang_refusals(const Session& session, GangId id) {
  const Gang& gang = session.cluster().gangs()[id];
  if (!gang.errors.empty()) return gang.errors;
  const GangCounts& counts = session.snapshot().gang_counts()[id];
  Reason reason;
  if (counts.placed + counts.waiting < gang.min_member) {
    reason.code = held_by(session.cluster(), id);
    reason.needed = gang.min_member;
    reason.found = counts.placed + counts.waiting;
  } else if (session.hooks().feasible_nodes != nullptr) {
    reason = session.hooks().feasible_nodes->refusal(id);
  }
  if (reason.code == ReasonCode::None) return {};
  return {std::move(reason)};
}

GangStep GangProgress::next(Session& session, GangSearch& search) {
  const GangCounts& counts = session.snapshot().gang_counts()[gang_];
  if (counts.waiting == 0) return {};
  int64_t core = session.cluster().gangs()[gang_].min_member - counts.placed;
  return core > 0 ? place_core(session, search, core) : grow(session, search);
}

GangStep GangProgress::place_core(Session& session, GangSearch& search, int64_t core) {
  SearchResult result = search.place(gang_, session.waiting_pods(gang_), core);
  if (result == SearchResult::Placed) return {GangStep::Result::Placed, ReasonCode::None, core};
  return {GangStep::Result::Waits, no_fit_code(result, session.cluster().gangs()[gang_]), core};
}

// The first pod that fits goes; equal pods are asked about once.
GangStep GangProgress::grow(Session& session, GangSearch& search) {
  if (!growing_) {
    rows_ = group_rows(session.snapshot(), session.waiting_pods(gang_));
    taken_.assign(rows_.size(), 0);
    placed_ = session.placed_nodes(gang_);
    growing_ = true;
  }
  SearchResult worst = SearchResult::NoFit;
  for (size_t row = 0; row < rows_.size(); ++row) {
    if (taken_[row] == rows_[row].pods.size()) continue;
    PodId pod = rows_[row].pods[taken_[row]];
    SearchResult result = search.place_one(gang_, pod, placed_);
    if (result == SearchResult::Placed) {
      ++taken_[row];
      placed_.push_back(session.snapshot().pod(pod).node);
      return {GangStep::Result::Placed, ReasonCode::None, 1};
    }
    worst = std::max(worst, result);
  }
  return {GangStep::Result::Waits, no_fit_code(worst, session.cluster().gangs()[gang_]), 1};
}

}  // namespace trellis
