#include "session/gang_step.h"

#include <algorithm>
#include <string>
#include <utility>

#include "framework/queue_tree.h"
#include "session/need_amounts.h"
#include "session/queue_permit.h"

namespace trellis {
namespace {

// Its pods have slots of their own, and this one is in none of them.
bool lacks_slot(const Session& session, PodId pod) {
  const PodSlot& slot = session.cluster().pods()[pod];
  if (!slot.workload.valid()) return false;
  const Admission* admission = session.admission(slot.workload);
  if (admission == nullptr || session.cluster().workloads()[slot.workload].checks_pending) {
    return false;
  }
  return std::any_of(
      admission->pod_sets.begin(), admission->pod_sets.end(),
      [&](const PodSetAdmission& set) { return set.name == slot.pod.pod_set && set.topology; });
}

ReasonCode held_by(const Session& session, GangId gang) {
  const Cluster& cluster = session.cluster();
  ReasonCode code = ReasonCode::NotEnoughPods;
  for (PodId pod : cluster.pods_of(gang)) {
    PodHold hold = cluster.pods()[pod].pod.hold;
    if (hold == PodHold::SchedulingGates) return ReasonCode::SchedulingGated;
    if (hold == PodHold::OtherScheduler) code = ReasonCode::OtherScheduler;
    if (hold == PodHold::VolumeClaim) code = ReasonCode::VolumeClaimNotFound;
    if (hold == PodHold::Workload) {
      code = lacks_slot(session, pod) ? ReasonCode::WorkloadSlotsTaken
                                      : ReasonCode::WorkloadNotAdmitted;
    }
  }
  return code;
}

std::string workload_name(const Cluster& cluster, GangId gang) {
  for (PodId pod : cluster.pods_of(gang)) {
    StrId workload = cluster.pods()[pod].pod.workload;
    if (workload.valid()) return std::string(cluster.vocabulary().strings.view(workload));
  }
  return "";
}

ReasonCode no_fit_code(SearchResult result, const Gang& gang) {
  if (result == SearchResult::BudgetExhausted) return ReasonCode::SearchBudgetExhausted;
  bool bound = gang.topology.topology.valid() ||
               std::any_of(gang.subgroups.begin(), gang.subgroups.end(),
                           [](const Subgroup& part) { return part.topology.topology.valid(); });
  return bound ? ReasonCode::TopologyNoFit : ReasonCode::NodesNoFit;
}

// Only gangs of leaves are placed.
ReasonCode misplaced(const Session& session, GangId gang) {
  const QueueLedger& queues = session.snapshot().queues();
  if (session.hooks().queue_rules == nullptr || queues.tree().empty()) return ReasonCode::None;
  QueueId queue = queues.queue_of_gang()[gang];
  if (queue.valid()) {
    return queues.tree().is_leaf(queue) ? ReasonCode::None : ReasonCode::QueueNotLeaf;
  }
  StrId name = session.cluster().gangs()[gang].queue;
  QueueId named = session.cluster().find_queue(session.cluster().vocabulary().strings.view(name));
  return named.valid() ? ReasonCode::QueueNotLeaf : ReasonCode::QueueNotFound;
}

}  // namespace

std::vector<Reason> gang_refusals(const Session& session, GangId id) {
  const Gang& gang = session.cluster().gangs()[id];
  if (!gang.errors.empty()) return gang.errors;
  Reason reason;
  if (reason.code = misplaced(session, id); reason.code != ReasonCode::None) {
    reason.subject = session.cluster().vocabulary().strings.view(gang.queue);
    return {std::move(reason)};
  }
  reason = missing_pods(session, id);
  if (reason.code != ReasonCode::None) {
    reason.code = held_by(session, id);
    bool of_workload = reason.code == ReasonCode::WorkloadNotAdmitted ||
                       reason.code == ReasonCode::WorkloadSlotsTaken;
    if (of_workload) {
      reason.subject = workload_name(session.cluster(), id);
    }
  } else if (session.hooks().feasible_nodes != nullptr) {
    reason = session.hooks().feasible_nodes->refusal(id);
  }
  if (reason.code == ReasonCode::None) return {};
  return {std::move(reason)};
}

GangStep GangProgress::next(Session& session, GangSearch& search) {
  const GangCounts& counts = session.snapshot().gang_counts()[gang_];
  if (counts.waiting == 0) return {};
  refusal_ = Reason();
  if (!session.has_minimum(gang_)) return place_minimum(session, search);
  const Gang& gang = session.cluster().gangs()[gang_];
  bool structured = !gang.subgroups.empty() || !gang.segments.empty();
  return structured ? grow_parts(session, search) : grow(session, search);
}

SearchResult GangProgress::keep(Session& session, Statement::Checkpoint start,
                                SearchResult result) {
  if (result != SearchResult::Placed || allows(may_keep(session, gang_))) return result;
  session.statement().rollback(start);
  return SearchResult::NoFit;
}

// Of what the queue says; the first refusal is kept.
bool GangProgress::allows(Reason verdict) {
  if (verdict.code == ReasonCode::None) return true;
  if (refusal_.code == ReasonCode::None) refusal_ = std::move(verdict);
  return false;
}

// The first of the needs that finds a place.
GangStep GangProgress::place_first(Session& session, GangSearch& search, const GangNeeds& needs) {
  GangStep step;
  SearchResult worst = SearchResult::NoFit;
  for (const GangNeed& need : needs) {
    if (!allows(may_take(session, gang_, need_amounts(session, gang_, need)))) continue;
    Statement::Checkpoint start = session.statement().checkpoint();
    SearchResult result = keep(session, start, search.place(gang_, need));
    int64_t pods = 0;
    for (const LeafNeed& leaf : need) pods += leaf.pods;
    if (result == SearchResult::Placed) {
      step.result = GangStep::Result::Placed;
      step.needed = pods;
      return step;
    }
    if (step.needed == 0) step.needed = pods;
    worst = std::max(worst, result);
  }
  step.result = GangStep::Result::Waits;
  step.code = no_fit_code(worst, session.cluster().gangs()[gang_]);
  step.refusal = refusal_;
  return step;
}

GangStep GangProgress::place_minimum(Session& session, GangSearch& search) {
  MinimumNeeds needs = minimum_needs(session, gang_);
  GangStep step = place_first(session, search, needs.choices);
  bool waits = step.result == GangStep::Result::Waits;
  if (waits && !needs.all) step.code = ReasonCode::SearchBudgetExhausted;
  return step;
}

GangStep GangProgress::grow_parts(Session& session, GangSearch& search) {
  return place_first(session, search, growth_needs(session, gang_));
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
    QueueAmounts amounts = session.snapshot().queues().amounts(
        session.cluster(), session.snapshot().key(pod).pod_class, NodeId());
    if (!allows(may_take(session, gang_, amounts))) continue;
    Statement::Checkpoint start = session.statement().checkpoint();
    SearchResult result = keep(session, start, search.place_one(gang_, pod, placed_));
    if (result == SearchResult::Placed) {
      ++taken_[row];
      placed_.push_back(session.snapshot().pod(pod).node);
      return {GangStep::Result::Placed, ReasonCode::None, {}, 1};
    }
    worst = std::max(worst, result);
  }
  ReasonCode code = no_fit_code(worst, session.cluster().gangs()[gang_]);
  return {GangStep::Result::Waits, code, refusal_, 1};
}

}  // namespace trellis
