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

void GangProgress::begin_growing(const Session& session) {
  std::vector<PodId> waiting = session.waiting_pods(gang_);
  rows_ = group_rows(session.snapshot(), waiting);
  taken_.assign(rows_.size(), 0);
  places_in_line_.resize(rows_.size());
  // Both lists are in order, so that each pod is the next of its row.
  for (uint32_t place = 0; place < waiting.size(); ++place) {
    for (size_t row = 0; row < rows_.size(); ++row) {
      size_t known = places_in_line_[row].size();
      if (known == rows_[row].pods.size() || rows_[row].pods[known] != waiting[place]) continue;
      places_in_line_[row].push_back(place);
      break;
    }
  }
  placed_ = session.placed_nodes(gang_);
  growing_ = true;
}

// Rows that still have pods, in the order of their next pods.
std::vector<size_t> GangProgress::rows_in_line() const {
  std::vector<size_t> rows;
  for (size_t row = 0; row < rows_.size(); ++row) {
    if (taken_[row] < rows_[row].pods.size()) rows.push_back(row);
  }
  std::sort(rows.begin(), rows.end(), [&](size_t a, size_t b) {
    return places_in_line_[a][taken_[a]] < places_in_line_[b][taken_[b]];
  });
  return rows;
}

// The first pod that fits goes; equal pods are asked about once.
GangStep GangProgress::grow(Session& session, GangSearch& search) {
  if (!growing_) begin_growing(session);
  SearchResult worst = SearchResult::NoFit;
  for (size_t row : rows_in_line()) {
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
