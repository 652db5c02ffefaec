#include "actions/workloads/preemption.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "actions/workloads/admission.h"
#include "actions/workloads/sets_by_cost.h"
#include "session/cycle/late_reports.h"
#include "session/placement/workload_unit.h"

namespace trellis {
namespace {

// Domains that are tried to find one with fewer victims.
constexpr size_t kMostDomains = 4;
// Of so many candidates every set is tried.
constexpr size_t kFewCandidates = 6;

}  // namespace

bool PreemptionSearch::run(WorkloadId workload, ClusterQueueId queue,
                           std::vector<Reason>& reasons) {
  start_ = session_.statement().checkpoint();
  has_candidates_ = false;
  trials_ = 0;
  nominator_.begin(workload, queue);
  Nomination nomination;
  auto accept = [&](const Nomination& with) { return try_flavors(with); };
  if (nominator_.find(Nominator::Need::Victims, nomination, accept)) return true;
  session_.statement().rollback(start_);
  for (const Reason& reason : nominator_.reasons()) {
    if (std::find(reasons.begin(), reasons.end(), reason) == reasons.end()) {
      reasons.push_back(reason);
    }
  }
  if (has_candidates_) {
    reasons.push_back({.code = ReasonCode::VictimsNoFit, .plugin = "admit"});
    reasons.back().found = trials_;
  }
  return false;
}

bool PreemptionSearch::try_flavors(const Nomination& found) {
  Nomination nomination = found;
  const QuotaRules& rules = *session_.hooks().quota_rules;
  std::vector<QuotaCellId> contested;
  // The quota suffices, so others have to give up room in domains.
  if (rules.fits(nomination.queue, nomination.amounts)) {
    if (wait_for_report(nomination)) return true;
    for (const QuotaAmount& amount : nomination.amounts) contested.push_back(amount.cell);
  }
  WorkloadTurn turn;
  turn.workload = nomination.workload;
  turn.queue = nomination.queue;
  turn.borrowing = nomination.borrowing;
  turn.amounts = nomination.amounts;
  turn.contested = contested;
  for (const PreemptionAttempt& attempt : rules.attempts(turn)) {
    Trial trial{turn, attempt, nomination};
    if (attempt.victims.empty()) continue;
    has_candidates_ = true;
    if (try_attempt(trial)) return true;
    session_.statement().rollback(start_);
  }
  return false;
}

// The pods that held the zones which the workload needs may have left already: what their node has
// yet to report costs no other workload.
bool PreemptionSearch::wait_for_report(Nomination& nomination) {
  bool looks_at_zones = std::ranges::any_of(nomination.placed, [&](const FlavoredPodSet& set) {
    return static_cast<bool>(session_.cluster().pod_classes()[set.pod_class].demand);
  });
  bool may_wait = looks_at_zones && session_.fits().anything_leaving();
  if (!may_wait || !place(nomination, DomainId())) return false;
  std::optional<Reason> reason = late_report(session_, nomination.place);
  if (!reason) {
    session_.statement().rollback(start_);
    return false;
  }
  session_.decide(hold_room(nomination, std::move(*reason)));
  session_.commit("admit");
  return true;
}

// Holds what the workload was found, also from those that come before it in the next cycles: else
// they take the room, and its victims were evicted in vain. In Kueue the turn decides; and where
// admission checks are pending, the place follows them.
WorkloadDecision PreemptionSearch::hold_room(const Nomination& nomination, Reason reason) {
  bool kueue = session_.config().placement_profile == PlacementProfile::Kueue;
  bool follows = session_.cluster().workloads()[nomination.workload].checks_pending;
  return kueue || follows ? await(session_, nomination, std::move(reason))
                          : promise(session_, nomination, std::move(reason));
}

bool PreemptionSearch::try_attempt(Trial& trial) {
  taken_.clear();
  if (!take_for_quota(trial)) return false;
  trials_ += taken_.empty() ? 0 : 1;
  if (trial.nomination.placed.empty() || place(trial.nomination, DomainId())) {
    give_back(trial);
    return carry_out(trial, DomainId());
  }
  std::vector<WorkloadVictim> candidates;
  for (const WorkloadVictim& victim : trial.attempt.victims) {
    if (!is_taken(victim.workload)) candidates.push_back(victim);
  }
  bool kueue = session_.config().placement_profile == PlacementProfile::Kueue;
  bool few = !kueue && candidates.size() <= kFewCandidates;
  return few ? try_all_sets(trial, candidates) : take_for_room(trial);
}

bool PreemptionSearch::take_for_quota(Trial& trial) {
  const QuotaRules& rules = *session_.hooks().quota_rules;
  for (size_t i = 0; i < trial.attempt.in_order; ++i) {
    if (rules.fits_after(trial.turn, trial.attempt)) return true;
    const WorkloadVictim& victim = trial.attempt.victims[i];
    if (rules.may_leave(trial.turn, trial.attempt, victim)) take(trial, victim);
  }
  return rules.fits_after(trial.turn, trial.attempt);
}

bool PreemptionSearch::place(Nomination& nomination, DomainId within) {
  const Workload& workload = session_.cluster().workloads()[nomination.workload];
  return nominator_.search().place(workload, nomination.placed, FitMode::Future, nomination.place,
                                   within);
}

bool PreemptionSearch::try_all_sets(Trial& trial, std::span<const WorkloadVictim> candidates) {
  std::vector<Taken> for_quota = taken_;
  Statement& statement = session_.statement();
  Statement::Checkpoint before = statement.checkpoint();
  std::vector<int32_t> priorities;
  for (const WorkloadVictim& victim : candidates) {
    priorities.push_back(session_.cluster().workloads()[victim.workload].priority);
  }
  auto take_set = [&](uint32_t set) {
    statement.rollback(before);
    taken_ = for_quota;
    for (size_t i = 0; i < candidates.size(); ++i) {
      if ((set >> i & 1U) == 0) continue;
      const QuotaRules& rules = *session_.hooks().quota_rules;
      if (!rules.may_leave(trial.turn, trial.attempt, candidates[i])) return false;
      take(trial, candidates[i]);
    }
    ++trials_;
    return place(trial.nomination, DomainId());
  };
  // Only a pod that seeks others' company may have a place while they are there alone.
  bool plain = std::ranges::all_of(trial.nomination.placed, [&](const FlavoredPodSet& set) {
    return session_.fits().plain(set.pod_class);
  });
  std::vector<uint32_t> sets = sets_by_cost(priorities);
  if (sets.empty() || (plain && !place_without(trial, candidates))) return false;
  for (uint32_t set : sets) {
    if (!take_set(set)) continue;
    give_back(trial);
    return carry_out(trial, DomainId());
  }
  return false;
}

// Whether there is room once all candidates have left, whatever the quota rules say.
bool PreemptionSearch::place_without(Trial& trial, std::span<const WorkloadVictim> candidates) {
  Statement::Checkpoint before = session_.statement().checkpoint();
  std::vector<Taken> taken = taken_;
  for (const WorkloadVictim& victim : candidates) take(trial, victim);
  bool placed = place(trial.nomination, DomainId());
  session_.statement().rollback(before);
  taken_ = std::move(taken);
  return placed;
}

// Chooses the domain to empty: the one with the fewest victims, of equal ones the one whose victims
// have lower priority.
bool PreemptionSearch::take_for_room(Trial& trial) {
  std::vector<Taken> for_quota = taken_;
  Statement& statement = session_.statement();
  Statement::Checkpoint before = statement.checkpoint();
  struct Best {
    DomainId within;
    size_t victims = SIZE_MAX;
    int32_t priority = 0;
  } best;
  bool stands = false;  // the statement holds the best
  for (DomainId within : domains(trial)) {
    statement.rollback(before);
    taken_ = for_quota;
    stands = false;
    if (!place_with_fewest(trial, within)) continue;
    give_back(trial);
    int32_t priority = INT32_MIN;
    for (const Taken& taken : taken_) {
      const Workload& record = session_.cluster().workloads()[taken.victim.workload];
      priority = std::max(priority, record.priority);
    }
    bool better =
        taken_.size() < best.victims || (taken_.size() == best.victims && priority < best.priority);
    if (better) best = {within, taken_.size(), priority};
    stands = better;
  }
  if (best.victims == SIZE_MAX) return false;
  if (!stands) {
    statement.rollback(before);
    taken_ = for_quota;
    if (!place_with_fewest(trial, best.within)) return false;
    give_back(trial);
  }
  return carry_out(trial, best.within);
}

// The domains where the workload could be with all candidates gone: domains of its required level,
// those with the fewest candidates first; kNone where it is not bound to one.
std::vector<DomainId> PreemptionSearch::domains(Trial& trial) const {
  std::optional<UnitError> error;
  const Workload& workload = session_.cluster().workloads()[trial.nomination.workload];
  std::vector<WorkloadUnit> units =
      workload_units(session_.cluster(), workload, trial.nomination.placed, error);
  if (units.size() != 1 || units.front().mode != KueueMode::Required) return {DomainId()};
  const WorkloadUnit& unit = units.front();
  Statement& statement = session_.statement();
  Statement::Checkpoint before = statement.checkpoint();
  const TopologyTree& tree = session_.snapshot().trees()[unit.workers.topology];
  IndexedVector<DomainId, uint32_t> candidates(tree.domain_count(), 0);
  for (const WorkloadVictim& victim : trial.attempt.victims) {
    if (is_taken(victim.workload)) continue;
    std::vector<DomainId> own;
    for (NodeId node : nodes_of(victim.workload)) {
      DomainId domain =
          tree.contains(node) ? tree.ancestor(tree.domain_of(node), unit.level) : DomainId();
      if (domain.valid()) own.push_back(domain);
    }
    depart(session_, victim.workload, {{}, trial.nomination.workload});
    std::sort(own.begin(), own.end());
    own.erase(std::unique(own.begin(), own.end()), own.end());
    for (DomainId domain : own) ++candidates[domain];
  }
  const DomainCounts& counts =
      session_.fits().domain_counts(unit.workers.topology, unit.workers.pod_class, FitMode::Future);
  std::vector<DomainId> able;
  IdRange level = tree.level(unit.level);
  for (uint32_t id = level.first; id < level.last; ++id) {
    if (counts[DomainId(id)] >= unit.workers.count) able.emplace_back(id);
  }
  statement.rollback(before);
  std::stable_sort(able.begin(), able.end(),
                   [&](DomainId a, DomainId b) { return candidates[a] < candidates[b]; });
  if (able.size() > kMostDomains) able.resize(kMostDomains);
  return able;
}

// Evicts as few of the candidates in the way, in their order, as necessary. Between two trials only
// the victims by which they differ leave or come back.
bool PreemptionSearch::place_with_fewest(Trial& trial, DomainId within) {
  std::vector<WorkloadVictim> victims = in_the_way(trial, within);
  if (victims.empty()) return false;
  const QuotaRules& rules = *session_.hooks().quota_rules;
  Statement& statement = session_.statement();
  struct Stop {
    Statement::Checkpoint checkpoint;
    size_t taken = 0;
  };
  std::vector<Stop> stops = {{statement.checkpoint(), taken_.size()}};  // after 0, 1, ... victims
  auto fits = [&](size_t count) {
    if (stops.size() > count + 1) stops.resize(count + 1);
    statement.rollback(stops.back().checkpoint);
    taken_.resize(stops.back().taken);
    while (stops.size() <= count) {
      const WorkloadVictim& next = victims[stops.size() - 1];
      if (rules.may_leave(trial.turn, trial.attempt, next)) take(trial, next);
      stops.push_back({statement.checkpoint(), taken_.size()});
    }
    ++trials_;
    return place(trial.nomination, within);
  };
  if (!fits(victims.size())) return false;
  size_t low = 1;
  size_t high = victims.size();
  size_t gone = high;  // how many have left; 0: too few
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (fits(middle)) {
      gone = high = middle;
    } else {
      low = middle + 1;
      gone = 0;
    }
  }
  return gone == high || fits(high);
}

std::vector<WorkloadVictim> PreemptionSearch::in_the_way(const Trial& trial,
                                                         DomainId within) const {
  std::vector<WorkloadVictim> victims;
  for (const WorkloadVictim& victim : trial.attempt.victims) {
    if (is_taken(victim.workload)) continue;
    if (holds_room(victim.workload, trial.nomination, within)) victims.push_back(victim);
  }
  return victims;
}

// Whether the workload has a slot on a node that the nomination could use.
bool PreemptionSearch::holds_room(WorkloadId workload, const Nomination& nomination,
                                  DomainId within) const {
  for (NodeId node : nodes_of(workload)) {
    for (const FlavoredPodSet& set : nomination.placed) {
      const TopologyTree& tree = session_.snapshot().trees()[set.topology];
      if (!tree.contains(node)) continue;
      DomainId leaf = tree.domain_of(node);
      if (within.valid() && tree.ancestor(leaf, tree.level_of(within)) != within) continue;
      if (session_.fits().class_verdict(set.pod_class, node) == ReasonCode::None) return true;
    }
  }
  return false;
}

// The nodes of the workload's slots and pods; may repeat.
std::vector<NodeId> PreemptionSearch::nodes_of(WorkloadId workload) const {
  std::span<const NodeId> slots = session_.snapshot().workloads().slots().nodes(workload);
  std::vector<NodeId> nodes(slots.begin(), slots.end());
  for (const SlotFill& fill : session_.loose_slots(workload)) nodes.push_back(fill.node);
  for (PodId pod : session_.cluster().workloads().pods_of(workload)) {
    PodState state = session_.snapshot().pod(pod);
    if (will_remain(state.status) && state.node.valid()) nodes.push_back(state.node);
  }
  return nodes;
}

void PreemptionSearch::take(const Trial& trial, const WorkloadVictim& victim) {
  Statement& statement = session_.statement();
  size_t before = statement.decision_count();
  Taken taken{victim, depart(session_, victim.workload, {{}, trial.nomination.workload}), {}};
  for (size_t i = before; i < statement.decision_count(); ++i) {
    taken.pods.push_back(statement.decisions()[i].pod);
  }
  taken_.push_back(std::move(taken));
}

bool PreemptionSearch::is_taken(WorkloadId workload) const {
  return std::any_of(taken_.begin(), taken_.end(),
                     [&](const Taken& taken) { return taken.victim.workload == workload; });
}

// Latest first, as Kueue does; the victim taken last is needed in any case.
void PreemptionSearch::give_back(Trial& trial) {
  if (taken_.size() < 2) return;
  for (size_t i = taken_.size() - 1; i-- > 0;) {
    if (!returns(trial, taken_[i])) continue;
    taken_.erase(taken_.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

bool PreemptionSearch::returns(const Trial& trial, const Taken& taken) {
  Statement& statement = session_.statement();
  Statement::Checkpoint before = statement.checkpoint();
  const QuotaHolding& holding = session_.snapshot().workloads().holdings()[taken.victim.workload];
  statement.hold_quota(taken.victim.workload, holding.queue,
                       std::vector<QuotaAmount>(holding.amounts));
  bool fits = session_.hooks().quota_rules->fits_after(trial.turn, trial.attempt);
  fits = fits && slots_return(taken) && pods_return(taken);
  if (!fits) statement.rollback(before);
  return fits;
}

bool PreemptionSearch::slots_return(const Taken& taken) {
  for (const SlotFill& fill : taken.left) {
    session_.statement().leave_slots(fill.pod_class, fill.node, -fill.count);
    const PodSpec& spec = session_.cluster().pod_classes()[fill.pod_class];
    for (const ResourceAmount& item : spec.requests.items()) {
      if (session_.snapshot().state().future[item.resource][fill.node] < 0) return false;
    }
  }
  return true;
}

// Each pod on its node, beside what was placed meanwhile.
bool PreemptionSearch::pods_return(const Taken& taken) {
  for (PodId pod : taken.pods) {
    PodClassId pod_class = session_.snapshot().key(pod).pod_class;
    NodeId node = session_.snapshot().pod(pod).node;
    FitCache& fits = session_.fits();
    bool fit =
        fits.may_stay(pod, node) && fits.link_verdict(pod_class, FitMode::Future, node).passes();
    GpuGrant devices = session_.snapshot().grant(pod);
    std::span<const int64_t> free = session_.snapshot().state().devices(node, FitMode::Future);
    for (const GpuPart& part : devices) {
      fit = fit && free[static_cast<size_t>(part.device)] >= part.portion_milli;
    }
    if (!fit) return false;
    session_.statement().place_on(pod, node, FitMode::Future, devices);
  }
  return true;
}

// Begins again, and evicts only the victims that really have to leave.
bool PreemptionSearch::carry_out(Trial& trial, DomainId within) {
  Statement& statement = session_.statement();
  statement.rollback(start_);
  Nomination& nomination = trial.nomination;
  std::vector<WorkloadDecision> decisions;
  for (const Taken& taken : taken_) {
    Reason reason{.code = ReasonCode::Preempted, .plugin = "quota"};
    reason.subject = to_string(taken.victim.cause);
    decisions.push_back(
        leave(session_, taken.victim.workload, std::move(reason), {{}, nomination.workload}));
  }
  if (!nomination.placed.empty() && !place(nomination, within)) return false;
  Reason waits{.code = ReasonCode::WaitingForPreemptedWorkloads, .plugin = "quota"};
  waits.found = static_cast<int64_t>(taken_.size());
  decisions.push_back(hold_room(nomination, std::move(waits)));
  for (WorkloadDecision& decision : decisions) session_.decide(std::move(decision));
  session_.commit("admit");
  return true;
}

}  // namespace trellis
