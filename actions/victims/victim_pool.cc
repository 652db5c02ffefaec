#include "actions/victims/victim_pool.h"

#include <algorithm>
#include <tuple>

#include "actions/victims/next_place.h"
#include "session/cycle/session_workloads.h"

namespace trellis {

void VictimPool::serve(const MoveRequest& request) {
  if (!serving_ || !same_rules(request_, request)) {
    ++epoch_;
    none_ = false;
    counts_.clear();
  }
  serving_ = true;
  shares_ = Shares::Heeded;
  request_ = request;
  if (known_.size() < session_.cluster().gangs().size()) {
    known_.resize(session_.cluster().gangs().size());
  }
}

bool VictimPool::same_rules(const MoveRequest& a, const MoveRequest& b) const {
  const auto& gangs = session_.cluster().gangs();
  return a.cause == b.cause && same_queue(a.gang, b.gang) &&
         gangs[a.gang].priority == gangs[b.gang].priority;
}

bool VictimPool::same_queue(GangId a, GangId b) const {
  const QueueLedger& queues = session_.snapshot().queues();
  if (queues.tree().empty()) return true;
  return queue_of(a) && queue_of(a) == queue_of(b);
}

ReasonCode VictimPool::judge(GangId id) const {
  const Gang& victim = session_.cluster().gangs()[id];
  const Gang& by = session_.cluster().gangs()[request_.gang];
  if (id == request_.gang || session_.placed_here(id)) return ReasonCode::PlacedThisCycle;
  const QueueLedger& queues = session_.snapshot().queues();
  // The gang would find no place again, and holds no queue's share that another queue could claim.
  if (!queues.tree().empty() && !queue_of(id)) return ReasonCode::QueueNotFound;
  if (request_.cause == MoveCause::Background && !victim.background) return ReasonCode::OtherQueue;
  // A gang in the background leaves for any gang that is not.
  if (victim.background && request_.cause != MoveCause::Consolidation) {
    return has_pods_in_slots(session_, id) ? ReasonCode::NotPreemptible : ReasonCode::None;
  }
  bool same = same_queue(id, request_.gang);
  if (request_.cause == MoveCause::Reclaim && same) return ReasonCode::SameQueue;
  if (request_.cause == MoveCause::Preempt) {
    if (!same) return ReasonCode::OtherQueue;
    if (victim.priority >= by.priority) return ReasonCode::PriorityNotLower;
  }
  bool moves = request_.cause == MoveCause::Consolidation;
  if (moves && !comes_back(session_, id)) return ReasonCode::NotMovable;
  bool may_move = victim.preemptible && !has_pods_in_slots(session_, id);
  return may_move ? ReasonCode::None : ReasonCode::NotPreemptible;
}

ReasonCode VictimPool::judge_core(GangId victim) const {
  const Gang& gang = session_.cluster().gangs()[victim];
  if (gang.keeps_minimum) return ReasonCode::NotPreemptible;
  if (gang.background && request_.cause != MoveCause::Consolidation) return ReasonCode::None;
  for (const auto& rule : session_.hooks().victim_rules) {
    ReasonCode code = rule.point->verdict(victim, request_.gang, request_.cause, session_.now());
    if (code != ReasonCode::None) return code;
  }
  return ReasonCode::None;
}

const VictimPool::Known& VictimPool::look_up(GangId victim) {
  Known& known = known_[victim];
  bool fresh = known.epoch == epoch_ && victim != request_.gang;
  // A gang that was placed since it was judged is no victim any more.
  if (fresh && !session_.placed_here(victim)) return known;
  count(known, -1);
  known = {epoch_, judge(victim), ReasonCode::None};
  known.core = known.code == ReasonCode::None ? judge_core(victim) : known.code;
  // What protects the minimum of a gang protects all pods of one that has no surplus.
  bool surplus = session_.cluster().gangs()[victim].eviction_unit == EvictionUnit::Surplus;
  if (!surplus) known.code = known.core;
  count(known, 1);
  return known;
}

void VictimPool::count(const Known& known, int64_t change) {
  if (known.epoch != epoch_ || known.core == ReasonCode::None) return;
  for (VerdictCount& counted : counts_) {
    if (counted.code != known.core) continue;
    counted.nodes += change;
    return;
  }
  counts_.push_back({.code = known.core, .nodes = change});
}

ReasonCode VictimPool::verdict(GangId victim) { return look_up(victim).code; }

ReasonCode VictimPool::core_verdict(GangId victim) { return look_up(victim).core; }

bool VictimPool::may_move(GangId victim) {
  if (verdict(victim) != ReasonCode::None) return false;
  if (request_.cause != MoveCause::Reclaim) return true;
  if (shares_ == Shares::JudgedLater) return true;
  if (session_.cluster().gangs()[victim].background) return true;
  Maybe<QueueId> from = queue_of(victim);
  const QueueRules& rules = *session_.hooks().queue_rules;
  return from && rules.may_lose(*from, request_.gang, request_.need);
}

std::vector<VerdictCount> VictimPool::verdicts() const {
  std::vector<VerdictCount> counts = counts_;
  const Known& own = known_[request_.gang];
  for (VerdictCount& count : counts) {
    if (own.epoch == epoch_ && own.core == count.code) --count.nodes;
  }
  std::erase_if(counts, [](const VerdictCount& count) { return count.nodes == 0; });
  std::sort(counts.begin(), counts.end(), [](const VerdictCount& a, const VerdictCount& b) {
    return std::tuple(-a.nodes, a.code) < std::tuple(-b.nodes, b.code);
  });
  return counts;
}

// When the gang began to run, as the cycle found it.
TimeUs VictimPool::started(GangId id) const {
  if (!started_.contains(id)) started_.resize(session_.cluster().gangs().size(), kNotComputed);
  TimeUs& known = started_[id];
  if (known != kNotComputed) return known;
  TimeUs first = kNoTime;
  for (PodId pod : session_.cluster().pods_of(id)) {
    const Pod& record = session_.cluster().pods()[pod].pod;
    if (!will_remain(record.status) || record.started == kNoTime) continue;
    if (first == kNoTime || record.started < first) first = record.started;
  }
  known = std::max(first, session_.cluster().gangs()[id].started);
  return known;
}

VictimAge VictimPool::age(GangId id) const {
  auto negated = [](TimeUs time) { return time == kNoTime ? INT64_MAX : -time; };
  return {negated(started(id)), negated(session_.cluster().gangs()[id].created)};
}

void VictimPool::make_turns() const {
  const QueueTree& tree = session_.snapshot().queues().tree();
  const QueueRules& rules = *session_.hooks().queue_rules;
  std::vector<QueueId> leaves;
  for (QueueId queue : tree.order()) {
    if (tree.is_leaf(queue)) leaves.push_back(queue);
  }
  const QueueAmounts nothing;
  std::stable_sort(leaves.begin(), leaves.end(), [&](QueueId a, QueueId b) {
    auto [x, y] = tree.siblings(a, b);
    return rules.compare({x, GangId(), &nothing}, {y, GangId(), &nothing}) > 0;
  });
  turns_.assign(tree.size(), 0);
  for (size_t i = 0; i < leaves.size(); ++i) turns_[leaves[i]] = static_cast<int64_t>(i);
}

int64_t VictimPool::queue_turn(GangId gang) const {
  Maybe<QueueId> queue = queue_of(gang);
  if (request_.cause == MoveCause::Preempt || !queue) return 0;
  if (session_.hooks().queue_rules == nullptr) return 0;
  if (turns_.empty()) make_turns();
  return turns_[*queue];
}

bool VictimPool::evict_before(GangId a, GangId b) const {
  const Gang& x = session_.cluster().gangs()[a];
  const Gang& y = session_.cluster().gangs()[b];
  if (x.background != y.background) return x.background;
  if (x.priority != y.priority) return x.priority < y.priority;
  int64_t x_turn = queue_turn(a);
  int64_t y_turn = queue_turn(b);
  if (x_turn != y_turn) return x_turn < y_turn;
  VictimAge x_age = age(a);
  VictimAge y_age = age(b);
  if (x_age != y_age) return x_age < y_age;
  if (x.name_space != y.name_space) {
    const StringTable& strings = session_.cluster().vocabulary().strings;
    return strings.view(x.name_space) > strings.view(y.name_space);
  }
  return x.name > y.name;
}

std::vector<GangId> VictimPool::some(size_t most) {
  std::vector<GangId> found;
  if (none_) return found;
  const Cluster& cluster = session_.cluster();
  bool none = true;
  auto look_at = [&](GangId gang) {
    bool runs = cluster.alive(gang) && session_.snapshot().gang_counts()[gang].placed > 0;
    if (!runs || verdict(gang) != ReasonCode::None) return true;
    none = false;
    if (may_move(gang)) found.push_back(gang);
    return found.size() < most;
  };
  const QueueLedger& queues = session_.snapshot().queues();
  Maybe<QueueId> queue = queue_of(request_.gang);
  bool in_queue = request_.cause == MoveCause::Preempt && queue;
  if (request_.cause == MoveCause::Background || in_queue) {
    for (GangId gang : session_.snapshot().background_gangs()) {
      if (!look_at(gang)) return found;
    }
  }
  if (in_queue) {
    for (GangId gang : queues.gangs_of(*queue)) {
      if (!cluster.gangs()[gang].background && !look_at(gang)) return found;
    }
  } else if (request_.cause != MoveCause::Background) {
    for (uint32_t i = 0; i < cluster.gangs().size(); ++i) {
      if (!look_at(GangId(i))) return found;
    }
  }
  none_ = none;
  return found;
}

}  // namespace trellis
