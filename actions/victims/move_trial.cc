#include "actions/victims/move_trial.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "actions/victims/joint_search.h"
#include "actions/victims/next_place.h"
#include "actions/victims/returning_units.h"
#include "actions/victims/unit_orders.h"
#include "session/cycle/gang_step.h"
#include "session/placement/gang_needs.h"

namespace trellis {
namespace {

size_t pod_count(std::span<const VictimUnit> units) {
  size_t pods = 0;
  for (const VictimUnit& unit : units) pods += unit.pods.size();
  return pods;
}

}  // namespace

bool MoveTrial::fail(ReasonCode code) {
  failure_ = code;
  session_.statement().rollback(start_);
  set_.shrink(0);
  return false;
}

void MoveTrial::begin(const MoveRequest& request) {
  allowed_ = session_.search_work(request.gang);
  work_ = allowed_;
  cut_ = false;
  kept_back_ = {};
  times_ = kept_.times();
  guard().serve(request.gang);
  if (request.cause == MoveCause::Reclaim) guard().reclaims(request.gang, request.need);
}

bool MoveTrial::take(std::span<const VictimUnit> units) {
  set_.shrink(0);
  return std::all_of(units.begin(), units.end(),
                     [&](const VictimUnit& unit) { return set_.take(unit); });
}

GangStep MoveTrial::next_step(GangId gang) {
  GangProgress progress(gang, work_);
  GangStep step = progress.next(session_, promises_);
  work_ = progress.work_left();
  return step;
}

bool MoveTrial::place(const MoveRequest& request) {
  first_decision_ = session_.statement().decision_count();
  GangProgress progress(request.gang, work_);
  GangStep step =
      guard().step(progress, [this](GangProgress& next) { return next.next(session_, promises_); });
  work_ = progress.work_left();
  if (step.result != GangStep::Result::Placed) {
    failure_ = step.code;
    if (is_kept_back(step.refusal.code)) kept_from_ = step.refusal;
    return false;
  }
  placed_.clear();
  taken_ = {};
  const QueueLedger& queues = session_.snapshot().queues();
  const auto& decisions = session_.statement().decisions();
  for (size_t i = first_decision_; i < decisions.size(); ++i) {
    const Decision& made = decisions[i];
    placed_.push_back({made.pod, made.node, session_.snapshot().grant(made.pod)});
    PodClassId pod_class = session_.snapshot().key(made.pod).pod_class;
    taken_.add(queues.amounts(session_.cluster(), pod_class, made.node));
  }
  return true;
}

bool MoveTrial::exact(const VictimUnit& unit) {
  return std::all_of(unit.pods.begin(), unit.pods.end(), [&](PodId pod) {
    return session_.fits().exact(session_.snapshot().key(pod).pod_class);
  });
}

bool MoveTrial::meets(NodeId node) const {
  return std::ranges::count(placed_, node, &Placement::node) > 0;
}

// Gives the unit's pods their nodes back, where these are still free and the queue's rules allow
// it. Where the gang takes nothing, a pod stays even if the node would not take it again.
bool MoveTrial::give_back(const MoveRequest& request, const VictimUnit& unit) {
  Statement::Checkpoint before = session_.statement().checkpoint();
  for (PodId pod : unit.pods) {
    PodState state = session_.snapshot().pod(pod);
    if (state.status != PodStatus::Evicted) continue;
    if (meets(state.node) && !fits_back(session_, pod)) {
      session_.statement().rollback(before);
      return false;
    }
    GpuGrant devices = session_.snapshot().grant(pod);
    session_.statement().place_on(pod, state.node, FitMode::Future, devices);
  }
  if (may_keep(session_, request.gang).code == ReasonCode::None && !in_the_way(request, unit)) {
    return true;
  }
  session_.statement().rollback(before);
  return false;
}

// Whether the gang delays an appointment beside the unit, which stays.
bool MoveTrial::in_the_way(const MoveRequest& request, const VictimUnit& unit) const {
  if (times_ == nullptr) return false;
  bool is_met = std::ranges::any_of(
      unit.pods, [&](PodId pod) { return meets(session_.snapshot().pod(pod).node); });
  return is_met ? delays(request, first_decision_)
                : guard().exceeds(request.gang, times_->window_of(request.gang));
}

bool MoveTrial::delays(const MoveRequest& request, size_t first_decision) const {
  if (times_ == nullptr) return false;
  return guard().delays(request.gang, times_->window_of(request.gang), first_decision);
}

// The victims in the way of the gang where it is placed now.
std::vector<VictimUnit> MoveTrial::needed(const MoveRequest& request) {
  bool plain = std::all_of(request.rows.begin(), request.rows.end(), [&](const RowPods& row) {
    return session_.fits().exact(row.pod_class);
  });
  std::vector<VictimUnit> kept;
  std::vector<VictimUnit> units = set_.units();
  if (request.cause == MoveCause::Consolidation) units = single_pods(units);
  // A gang that is broken keeps nothing above its minimum.
  GangId broken;
  for (const VictimUnit& unit : rather_last(pool_, std::move(units))) {
    bool falls = unit.gang == broken && request.cause != MoveCause::Consolidation;
    if (!falls && plain && exact(unit) && give_back(request, unit)) continue;
    if (unit.core) broken = unit.gang;
    kept.push_back(unit);
  }
  std::reverse(kept.begin(), kept.end());
  return kept;
}

// Whether allocate would try the victim before the gang, once its pods are pending again.
// `need`: the amounts of the victim's pods that leave.
bool MoveTrial::goes_before(GangId victim, const QueueAmounts& need,
                            const MoveRequest& request) const {
  if (session_.cluster().gangs()[victim].background) return false;
  const QueueRules* rules = session_.hooks().queue_rules;
  Maybe<QueueId> losing = queue_of(victim);
  Maybe<QueueId> gaining = queue_of(request.gang);
  bool side_by_side = rules != nullptr && losing && gaining && losing != gaining;
  if (!side_by_side) return session_.gang_before(victim, request.gang);
  auto [of_victim, of_gang] = session_.snapshot().queues().tree().siblings(*losing, *gaining);
  int verdict = rules->compare({of_victim, victim, &need}, {of_gang, request.gang, &request.need});
  return verdict != 0 ? verdict < 0 : session_.gang_before(victim, request.gang);
}

QueueAmounts MoveTrial::amounts_of(const VictimUnit& unit) const {
  QueueAmounts sum;
  for (PodId pod : unit.pods) {
    PodClassId pod_class = session_.snapshot().key(pod).pod_class;
    NodeId node = session_.snapshot().pod(pod).node;
    sum.add(session_.snapshot().queues().amounts(session_.cluster(), pod_class, node));
  }
  return sum;
}

// Victims that allocate would try before the gang, in the order of allocate.
std::vector<GangId> MoveTrial::early_victims(const MoveRequest& request) const {
  std::map<GangId, QueueAmounts> needs;
  for (const VictimUnit& unit : set_.units()) needs[unit.gang].add(amounts_of(unit));
  std::vector<GangId> early;
  for (const auto& [victim, need] : needs) {
    if (goes_before(victim, need, request)) early.push_back(victim);
  }
  std::sort(early.begin(), early.end(),
            [&](GangId a, GangId b) { return session_.gang_before(a, b); });
  return early;
}

bool MoveTrial::may_place_again(const MoveRequest& request) const {
  return request.cause != MoveCause::Reclaim ||
         session_.config().queues.allow_consolidating_reclaim;
}

// Places victims and gang in the order of the next cycle's allocate. Otherwise a victim would take
// the room that was promised to the gang, and room would be made for the gang again and again.
bool MoveTrial::place_in_turn(const MoveRequest& request, std::span<const VictimUnit> units) {
  session_.statement().rollback(start_);
  if (!take(units)) return false;
  std::vector<GangId> early = early_victims(request);
  for (GangId victim : early) {
    bool placed = place_again(victim);
    if (!placed && request.cause == MoveCause::Consolidation) return false;
  }
  if (!early.empty()) {
    if (!place(request)) return false;
    if (may_place_again(request)) return true;
    // The victims were placed to check that the gang keeps its place, not to have one.
    session_.statement().rollback(start_);
    if (!take(units)) return false;
  }
  for (const Placement& placed : placed_) {
    session_.statement().place_on(placed.pod, placed.node, FitMode::Future, placed.devices);
  }
  return true;
}

// Promises the victim's pods a new place, within what their queue may hold. Their gang must have
// its minimum then, and no error: else allocate would not give them this place.
bool MoveTrial::promise(GangId victim, std::span<const PodId> pods) {
  Statement::Checkpoint before = session_.statement().checkpoint();
  promises_.set_work(work_);
  SearchResult result =
      guard().place_again(victim, [&] { return promises_.place_again(victim, pods); });
  work_ = promises_.work_left();
  if (result != SearchResult::Placed) return false;
  bool returns = session_.has_minimum(victim) && gang_refusals(session_, victim).empty();
  if (returns && may_keep(session_, victim).code == ReasonCode::None) return true;
  session_.statement().rollback(before);
  return false;
}

// Victims with a pod that has a new place.
std::set<GangId> MoveTrial::placed_victims() const {
  std::set<GangId> placed;
  for (const VictimUnit& unit : set_.units()) {
    bool some = std::any_of(unit.pods.begin(), unit.pods.end(), [&](PodId pod) {
      return session_.snapshot().pod(pod).status == PodStatus::Pipelined;
    });
    if (some) placed.insert(unit.gang);
  }
  return placed;
}

// Places all pods, else as many as make up the minimum and then one by one. Leaves out pods that
// have no next place.
bool MoveTrial::place_again(GangId victim) {
  std::vector<PodId> pods = set_.pods_of(victim);
  std::sort(pods.begin(), pods.end(),
            [&](PodId a, PodId b) { return session_.ranks_before(a, b); });
  bool all = leave_out_stuck(session_, victim, pods) == 0;
  if (pods.empty()) return false;
  if (promise(victim, pods)) return all;
  const Gang& gang = session_.cluster().gangs()[victim];
  if (!gang.subgroups.empty() || !gang.segments.empty()) return false;
  int64_t missing = gang.min_member - session_.snapshot().gang_counts()[victim].placed;
  size_t least = static_cast<size_t>(std::max<int64_t>(1, missing));
  if (least >= pods.size()) return false;
  std::span<const PodId> left = pods;
  if (!promise(victim, left.first(least))) return false;
  for (left = left.subspan(least); !left.empty(); left = left.subspan(1)) {
    if (!promise(victim, left.first(1))) break;
  }
  return false;
}

// In consolidation every victim has to find a place; else those that can do.
bool MoveTrial::place_victims(const MoveRequest& request) {
  bool must = request.cause == MoveCause::Consolidation;
  if (!may_place_again(request)) return true;
  std::set<std::tuple<PodClassId, size_t, StrId, StrId, bool, TimeUs>> no_place;  // equal victims
  std::set<GangId> seen = placed_victims();
  auto held = [&](PodId pod) { return !has_next_place(session_, pod); };
  for (const VictimUnit& unit : largest_first(session_, rather_last(pool_, set_.units()))) {
    if (!seen.insert(unit.gang).second) continue;
    const Gang& gang = session_.cluster().gangs()[unit.gang];
    // It comes back after all others, wherever there is room then.
    if (gang.background && !must) continue;
    auto key = std::tuple(session_.snapshot().key(unit.pods.front()).pod_class, unit.pods.size(),
                          gang.topology.topology, gang.topology.required,
                          std::ranges::any_of(unit.pods, held),
                          times_ == nullptr ? kNever : times_->window_again(unit.gang).until);
    if (no_place.contains(key) || !place_again(unit.gang)) {
      if (must) return false;
      no_place.insert(key);
    }
  }
  return true;
}

// Whether a gang of another queue would find a place now, at the cost of what this gang was to be
// given. REQUIRES: the victims have left, this gang has no place yet.
bool MoveTrial::takes_back(GangId other, const MoveRequest& request) {
  const QueueRules& rules = *session_.hooks().queue_rules;
  QueueAmounts need = next_amounts(session_, other);
  if (rules.may_reclaim(other, need).code != ReasonCode::None) return false;
  if (!gang_refusals(session_, other).empty()) return false;
  Statement::Checkpoint before = session_.statement().checkpoint();
  GangStep step = GangProgress(other).next(session_, promises_);
  QueueLoss loss{*queue_of(request.gang), taken_};
  bool takes = step.result == GangStep::Result::Placed &&
               rules.fair_exchange(other, need, std::span(&loss, 1));
  session_.statement().rollback(before);
  return takes;
}

// By preempt a gang may take more than its victims held, and its queue may exceed its share. What
// another queue would reclaim at once is not worth taking: its victims would reclaim it in turn,
// and so for ever. Gangs that request the same are tried once.
bool MoveTrial::is_taken_back(const MoveRequest& request, std::span<const VictimUnit> units) {
  const std::vector<std::string>& actions = session_.config().actions;
  bool in_queue = session_.hooks().queue_rules != nullptr && queue_of(request.gang);
  if (request.cause != MoveCause::Preempt || !in_queue) return false;
  if (std::ranges::count(actions, "reclaim") == 0) return false;
  QueueAmounts gain = taken_;
  for (const VictimUnit& unit : units) gain.add(amounts_of(unit), -1);
  if (std::ranges::all_of(gain.of, [](int64_t amount) { return amount <= 0; })) return false;
  session_.statement().rollback(start_);
  if (!take(units)) return false;
  std::set<std::tuple<QueueId, PodClassId, int64_t, StrId, StrId>> asked;
  const Cluster& cluster = session_.cluster();
  for (uint32_t i = 0; i < cluster.gangs().size(); ++i) {
    GangId other(i);
    const Gang& gang = cluster.gangs()[other];
    const GangCounts& counts = session_.snapshot().gang_counts()[other];
    if (counts.waiting == 0 || !cluster.alive(other) || !gang.moves_others) continue;
    Maybe<QueueId> queue = queue_of(other);
    if (!queue || queue == queue_of(request.gang)) continue;
    PodClassId pod_class = session_.snapshot().key(session_.waiting_pods(other).front()).pod_class;
    if (!asked
             .emplace(*queue, pod_class, counts.waiting, gang.topology.topology,
                      gang.topology.required)
             .second) {
      continue;
    }
    if (takes_back(other, request)) return true;
  }
  return false;
}

// Whether a victim has its old places again beside a gang with terms about other pods: its leaving
// met these terms for a moment, and does not meet them once it is back.
bool MoveTrial::is_back(const MoveRequest& request) const {
  bool linked = std::ranges::any_of(request.rows, [&](const RowPods& row) {
    return session_.fits().order_matters(row.pod_class);
  });
  auto has_old_place = [&](PodId pod) {
    PodState state = session_.snapshot().pod(pod);
    const Cluster& cluster = session_.cluster();
    return state.status == PodStatus::Pipelined &&
           state.node == cluster.find_node(cluster.pods()[pod].pod.node);
  };
  return linked && std::ranges::any_of(set_.units(), [&](const VictimUnit& unit) {
           return std::ranges::all_of(unit.pods, has_old_place);
         });
}

bool MoveTrial::too_many(const MoveRequest& request) const {
  int64_t most = session_.config().limits.consolidation_victims;
  if (request.cause != MoveCause::Consolidation || most < 0) return false;
  return set_.gangs() > most;
}

bool MoveTrial::fair(const MoveRequest& request) {
  if (request.cause != MoveCause::Reclaim) return true;
  std::vector<QueueLoss> losses;
  const QueueLedger& queues = session_.snapshot().queues();
  for (const VictimUnit& unit : set_.units()) {
    if (session_.cluster().gangs()[unit.gang].background) continue;
    QueueLoss loss{*queues.queue_of_gang()[unit.gang], {}};
    bool lost = false;
    for (PodId pod : unit.pods) {
      PodState state = session_.snapshot().pod(pod);
      if (state.status != PodStatus::Evicted) continue;
      PodClassId pod_class = session_.snapshot().key(pod).pod_class;
      loss.amounts.add(queues.amounts(session_.cluster(), pod_class, state.node));
      lost = true;
    }
    if (lost) losses.push_back(loss);
  }
  return losses.empty() ||
         session_.hooks().queue_rules->fair_exchange(request.gang, taken_, losses);
}

bool MoveTrial::could_place(const MoveRequest& request, std::span<const VictimUnit> units) {
  Statement::Checkpoint start = session_.statement().checkpoint();
  for (const VictimUnit& unit : units) {
    for (PodId pod : unit.pods) {
      if (is_active(session_.snapshot().pod(pod).status)) {
        session_.statement().evict(pod, request.gang);
      }
    }
  }
  GangStep step = next_step(request.gang);
  session_.statement().rollback(start);
  return step.result == GangStep::Result::Placed || step.code == ReasonCode::SearchBudgetExhausted;
}

// Makes these units leave, and places the gang where it was placed before.
bool MoveTrial::complete(const MoveRequest& request, std::span<const VictimUnit> units) {
  bool reclaims = request.cause == MoveCause::Reclaim;
  if (is_taken_back(request, units)) return fail(ReasonCode::UnfairExchange);
  if (!place_in_turn(request, units)) {
    return fail(reclaims ? ReasonCode::UnfairExchange : ReasonCode::VictimsNoFit);
  }
  if (too_many(request)) return fail(ReasonCode::VictimsNoFit);
  if (!limits_.allow(set_.units())) return fail(ReasonCode::DisruptionBudgetBlocks);
  bool placed = place_victims(request) && !is_back(request) && promises_hold(session_);
  if (!placed) return fail(ReasonCode::VictimsNoFit);
  return fair(request) || fail(ReasonCode::UnfairExchange);
}

// REQUIRES: the victims have left, and all of their pods may be placed again.
SearchResult MoveTrial::place_all(std::span<const GangPods> gangs) {
  constexpr int64_t kPartOfWork = 8;
  bool plain = std::ranges::all_of(gangs, [&](const GangPods& one) {
    return std::ranges::all_of(one.pods, [&](PodId pod) {
      return session_.fits().plain(session_.snapshot().key(pod).pod_class);
    });
  });
  if (!plain) return SearchResult::BudgetExhausted;
  SearchBudget budget(session_.snapshot(), std::min(work_, allowed_ / kPartOfWork));
  int64_t before = budget.left();
  SearchResult result = place_together(session_, budget, gangs);
  work_ -= before - budget.left();
  return result;
}

bool MoveTrial::rules_out(const MoveRequest& request, std::span<const VictimUnit> units) {
  if (request.cause != MoveCause::Consolidation) return false;
  ReturningUnits returning = returning_units(session_, request, units);
  if (!returning.all_that_help) return false;
  start_ = session_.statement().checkpoint();
  set_.serve(request);
  bool ruled_out = take(returning.units) &&
                   place_all(pods_by_gang(request, set_.units())) == SearchResult::NoFit;
  session_.statement().rollback(start_);
  set_.shrink(0);
  return ruled_out;
}

// Of the places that the gang may have, and of the turns in which it and the victims may be served,
// one was tried: tries all, where few pods are concerned. Promises are kept before anything else is
// decided, so that no victim takes its old place back.
bool MoveTrial::arrange(const MoveRequest& request, std::span<const VictimUnit> units) {
  session_.statement().rollback(start_);
  if (!take(units)) return fail(ReasonCode::UnfairExchange);
  if (too_many(request)) return fail(ReasonCode::VictimsNoFit);
  if (!limits_.allow(set_.units())) return fail(ReasonCode::DisruptionBudgetBlocks);
  std::vector<GangPods> gangs = pods_by_gang(request, set_.units());
  bool stuck = std::any_of(gangs.begin() + 1, gangs.end(), [&](const GangPods& one) {
    return std::ranges::any_of(one.pods, [&](PodId pod) { return !has_next_place(session_, pod); });
  });
  if (stuck) return fail(ReasonCode::VictimsNoFit);
  size_t first = session_.statement().decision_count();
  SearchResult result = place_all(gangs);
  cut_ = cut_ || result == SearchResult::BudgetExhausted;
  refuted_ = result == SearchResult::NoFit;
  auto keeps = [&](const GangPods& one) {
    if (may_keep(session_, one.gang).code != ReasonCode::None) return false;
    return !(one.gang == request.gang ? delays(request, first)
                                      : guard().delays_again(one.gang, first));
  };
  bool kept = result == SearchResult::Placed && std::ranges::all_of(gangs, keeps) &&
              promises_hold(session_);
  return kept || fail(ReasonCode::VictimsNoFit);
}

bool MoveTrial::run(const MoveRequest& request, std::span<const VictimUnit> units) {
  kept_from_ = {};
  if (find(request, units)) return true;
  if (kept_from_.code == ReasonCode::None || kept_back_.code != ReasonCode::None) return false;
  // Of what else is in its way, the gang is to be informed first.
  Reason why = std::exchange(kept_from_, {});
  RoomTimes* heeded = std::exchange(times_, nullptr);
  if (find(request, units)) {
    kept_back_ = why;
    fail(ReasonCode::VictimsNoFit);
  }
  times_ = heeded;
  return false;
}

bool MoveTrial::find(const MoveRequest& request, std::span<const VictimUnit> units) {
  start_ = session_.statement().checkpoint();
  refuted_ = false;
  set_.serve(request);
  if (!take(units)) return fail(ReasonCode::UnfairExchange);
  if (!place(request)) {
    refuted_ = failure_ != ReasonCode::SearchBudgetExhausted;
    return fail(failure_);
  }
  std::vector<VictimUnit> all = set_.units();
  std::vector<VictimUnit> left = needed(request);
  if (complete(request, left)) return true;
  // A victim that is not in the gang's way may be in the way of another victim.
  bool moves = request.cause == MoveCause::Consolidation;
  if (moves && left.size() < pod_count(all) && complete(request, all)) return true;
  return moves && arrange(request, all);
}

}  // namespace trellis
