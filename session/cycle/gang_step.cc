#include "session/cycle/gang_step.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "framework/gang_minimum.h"
#include "framework/queue_tree.h"
#include "session/cluster/pod_hold.h"
#include "session/cycle/failed_searches.h"
#include "session/cycle/session_workloads.h"
#include "session/placement/gang_needs.h"

namespace trellis {
namespace {

std::string_view name_of(const Cluster& cluster, PodId pod) { return cluster.pods()[pod].pod.name; }

// Why a pod waits for its workload.
ReasonCode held_by_workload(const Session& session, PodId pod) {
  const PodSlot& slot = session.cluster().pods()[pod];
  if (!slot.workload.valid()) return ReasonCode::WorkloadNotAdmitted;
  const Workload& workload = session.cluster().workloads()[slot.workload];
  bool admitted = session.admission(slot.workload) != nullptr && workload.active &&
                  !workload.finished && !workload.checks_pending;
  if (!admitted) return ReasonCode::WorkloadNotAdmitted;
  // Its pods have slots of their own, and this pod is in none of them.
  bool full = workload.admission || belongs_in_slot(session, pod);
  return full ? ReasonCode::WorkloadSlotsTaken : ReasonCode::WorkloadStarts;
}

// A gate of any pod, else the hold of the last pod by name: a gang's list of pods is in the order
// in which they came.
ReasonCode held_by(const Session& session, GangId gang) {
  const Cluster& cluster = session.cluster();
  PodId last;
  for (PodId pod : cluster.pods_of(gang)) {
    PodHold hold = session.snapshot().key(pod).hold;
    if (hold == PodHold::SchedulingGates) return ReasonCode::SchedulingGated;
    bool waits = session.snapshot().pod(pod).status == PodStatus::Pending;
    if (hold == PodHold::None || !waits) continue;
    if (!last.valid() || name_of(cluster, last) < name_of(cluster, pod)) last = pod;
  }
  if (!last.valid()) return ReasonCode::NotEnoughPods;
  PodHold hold = session.snapshot().key(last).hold;
  return hold == PodHold::Workload ? held_by_workload(session, last) : hold_reason(hold);
}

// The workload of the first pod by name that belongs to one.
std::string workload_name(const Cluster& cluster, GangId gang) {
  PodId first;
  for (PodId pod : cluster.pods_of(gang)) {
    if (!cluster.pods()[pod].pod.workload.valid()) continue;
    if (!first.valid() || name_of(cluster, pod) < name_of(cluster, first)) first = pod;
  }
  if (!first.valid()) return "";
  return std::string(cluster.vocabulary().strings.view(cluster.pods()[first].pod.workload));
}

ReasonCode no_fit_code(SearchResult result, const Gang& gang) {
  if (result == SearchResult::BudgetExhausted) return ReasonCode::SearchBudgetExhausted;
  bool bound = gang.topology.topology.valid() ||
               std::any_of(gang.subgroups.begin(), gang.subgroups.end(),
                           [](const Subgroup& part) { return part.topology.topology.valid(); });
  return bound ? ReasonCode::TopologyNoFit : ReasonCode::NodesNoFit;
}

// The first of the required levels.
StrId required_level(const TopologyConstraint& constraint, std::span<const SegmentLayer> segments) {
  StrId level = constraint.required;
  for (const SegmentLayer& layer : segments) {
    if (!level.valid()) level = layer.required;
  }
  return level;
}

// If no plugin keeps pods in domains, gangs that require a domain wait.
Reason unkept_level(const Session& session, GangId id) {
  const Gang& gang = session.cluster().gangs()[id];
  const StringTable& strings = session.cluster().vocabulary().strings;
  Reason reason;
  StrId level = required_level(gang.topology, gang.segments);
  for (const Subgroup& subgroup : gang.subgroups) {
    if (level.valid()) break;
    level = required_level(subgroup.topology, subgroup.segments);
    if (level.valid()) reason.subgroup = strings.view(subgroup.name);
  }
  if (!level.valid()) return reason;
  reason.code = ReasonCode::Misconfigured;
  reason.subject = "the level \"" + std::string(strings.view(level)) +
                   "\" is required, and the plugin topology, which keeps it, is off";
  return reason;
}

// Only gangs of leaves are placed.
ReasonCode misplaced(const Session& session, GangId gang) {
  const QueueLedger& queues = session.snapshot().queues();
  if (session.hooks().queue_rules == nullptr || queues.tree().empty()) return ReasonCode::None;
  if (Maybe<QueueId> queue = queues.queue_of_gang()[gang]) {
    return queues.tree().is_leaf(*queue) ? ReasonCode::None : ReasonCode::QueueNotLeaf;
  }
  StrId name = *session.cluster().gangs()[gang].queue;
  QueueId named = session.cluster().find_queue(session.cluster().vocabulary().strings.view(name));
  return named.valid() ? ReasonCode::QueueNotLeaf : ReasonCode::QueueNotFound;
}

// Whether the gang has its minimum only once others have left: a pod above it that started before
// would hold its node alone until they have left.
bool minimum_is_promised(const Session& session, GangId id) {
  GangCounts all = session.snapshot().gang_counts()[id];
  std::vector<GangCounts> parts = session.snapshot().subgroup_counts()[id];
  for (PodId pod : session.cluster().pods_of(id)) {
    if (session.snapshot().pod(pod).status != PodStatus::Pipelined) continue;
    --all.placed;
    int32_t subgroup = session.snapshot().key(pod).subgroup;
    if (subgroup >= 0) --parts[static_cast<size_t>(subgroup)].placed;
  }
  return !has_minimum(session.cluster().gangs()[id], all, parts);
}

// Whether pods of the gang come only once others have left: the rest of its minimum starts with
// them.
bool any_is_promised(const Session& session, GangId id) {
  if (session.snapshot().gang_counts()[id].placed == 0) return false;
  return std::ranges::any_of(session.cluster().pods_of(id), [&](PodId pod) {
    return session.snapshot().pod(pod).status == PodStatus::Pipelined;
  });
}

}  // namespace

bool depends_on_time(const Session& session, GangId gang) {
  const PodDivider* divider = session.hooks().pod_divider;
  if (divider == nullptr) return false;
  const std::vector<PodId>& pods = session.cluster().pods_of(gang);
  return std::any_of(pods.begin(), pods.end(), [&](PodId pod) {
    return divider->divides(session.snapshot().key(pod).pod_class);
  });
}

std::vector<Reason> gang_refusals(const Session& session, GangId id) {
  const Gang& gang = session.cluster().gangs()[id];
  if (!gang.errors.empty()) return gang.errors;
  Reason reason;
  if (reason.code = misplaced(session, id); reason.code != ReasonCode::None) {
    if (gang.queue) reason.subject = session.cluster().vocabulary().strings.view(*gang.queue);
    return {std::move(reason)};
  }
  reason = missing_pods(session, id);
  if (reason.code == ReasonCode::NotEnoughSubgroups) return {std::move(reason)};
  if (reason.code != ReasonCode::None) {
    reason.code = held_by(session, id);
    bool of_workload = reason.code == ReasonCode::WorkloadNotAdmitted ||
                       reason.code == ReasonCode::WorkloadStarts ||
                       reason.code == ReasonCode::WorkloadSlotsTaken;
    if (of_workload) reason.subject = workload_name(session.cluster(), id);
  } else if (session.hooks().feasible_nodes != nullptr) {
    reason = session.hooks().feasible_nodes->refusal(id);
  } else {
    reason = unkept_level(session, id);
  }
  if (reason.code == ReasonCode::None) return {};
  return {std::move(reason)};
}

GangStep GangProgress::next(Session& session, GangSearch& search) {
  if (session.snapshot().gang_counts()[gang_].waiting == 0) return {};
  if (!work_) work_ = session.search_work(gang_);
  SearchQuestion question{session.snapshot().epoch(), *work_};
  bool first = !growing_ && !search.mode() && session.statement().clean();
  if (first) {
    if (const GangStep* known = session.failed_searches().step(gang_, question)) {
      if (known->ran_out) session.count_exhausted(known->work);
      return *known;
    }
  }
  search.set_work(*work_);
  GangStep step = search_next(session, search);
  int64_t before = std::exchange(*work_, search.work_left());
  if (step.result != GangStep::Result::Waits) return step;
  step.work = before - *work_;
  step.ran_out = *work_ < 0;
  if (step.ran_out && !search.mode()) session.count_exhausted(step.work);
  bool keeps = first && FailedSearches::is_costly(step) && !depends_on_time(session, gang_);
  if (keeps) session.failed_searches().keep(gang_, question, step);
  return step;
}

GangStep GangProgress::search_next(Session& session, GangSearch& search) {
  refusal_ = Reason();
  bool grows = session.has_minimum(gang_);
  if (grows && !grows_later_) grows_later_ = minimum_is_promised(session, gang_);
  bool later = grows ? *grows_later_ : any_is_promised(session, gang_);
  later = later && !search.mode();
  if (later) search.set_mode(FitMode::Future);
  GangStep step = grows ? grow_further(session, search) : place_minimum(session, search);
  if (later) search.set_mode(std::nullopt);
  return step;
}

GangStep GangProgress::grow_further(Session& session, GangSearch& search) {
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

// Whether the queue allows it; the first refusal is kept.
bool GangProgress::allows(Reason verdict) {
  if (verdict.code == ReasonCode::None) return true;
  if (refusal_.code == ReasonCode::None) refusal_ = std::move(verdict);
  return false;
}

// Places the first of the needs that finds a place.
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
    if (search.work_left() >= 0 || &need == &needs.back()) continue;
    worst = SearchResult::BudgetExhausted;  // the others are not tried
    break;
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
  GangNeeds needs = growth_needs(session, gang_);
  if (needs.empty()) allows(missing_pods(session, gang_));
  return place_first(session, search, needs);
}

void GangProgress::begin_growing(const Session& session) {
  std::vector<PodId> waiting = session.waiting_pods(gang_);
  rows_ = group_rows(session.snapshot(), waiting);
  taken_.assign(rows_.size(), 0);
  turns_.resize(rows_.size());
  absl::flat_hash_map<uint32_t, size_t> row_of;  // by class
  for (size_t row = 0; row < rows_.size(); ++row) row_of[rows_[row].pod_class.value] = row;
  // Both lists are in order, so that each pod is the next one of its row.
  for (uint32_t place = 0; place < waiting.size(); ++place) {
    size_t row = row_of.at(session.snapshot().key(waiting[place]).pod_class.value);
    turns_[row].push_back(place);
  }
  for (size_t row = 0; row < rows_.size(); ++row) next_.emplace(turns_[row].front(), row);
  placed_ = session.placed_nodes(gang_);
  growing_ = true;
}

// Places the first pod that fits; equal pods are tried once.
GangStep GangProgress::grow(Session& session, GangSearch& search) {
  if (!growing_) begin_growing(session);
  SearchResult worst = SearchResult::NoFit;
  for (auto next = next_.begin(); next != next_.end(); ++next) {
    size_t row = next->second;
    PodId pod = rows_[row].pods[taken_[row]];
    QueueAmounts amounts = session.snapshot().queues().amounts(
        session.cluster(), session.snapshot().key(pod).pod_class, NodeId());
    if (!allows(may_take(session, gang_, amounts))) continue;
    Statement::Checkpoint start = session.statement().checkpoint();
    SearchResult result = keep(session, start, search.place_one(gang_, pod, placed_));
    if (result == SearchResult::Placed) {
      next_.erase(next);
      ++taken_[row];
      if (taken_[row] < rows_[row].pods.size()) next_.emplace(turns_[row][taken_[row]], row);
      placed_.push_back(session.snapshot().pod(pod).node);
      return {GangStep::Result::Placed, ReasonCode::None, {}, 1};
    }
    worst = std::max(worst, result);
    if (search.work_left() >= 0 || std::next(next) == next_.end()) continue;
    worst = SearchResult::BudgetExhausted;  // the others are not tried
    break;
  }
  ReasonCode code = no_fit_code(worst, session.cluster().gangs()[gang_]);
  return {GangStep::Result::Waits, code, refusal_, 1};
}

}  // namespace trellis
