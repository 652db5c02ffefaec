#include "actions/moves/move_search.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "actions/workloads/kept_room.h"
#include "actions/workloads/queue_heads.h"
#include "actions/workloads/sets_by_cost.h"
#include "framework/topology_levels.h"
#include "session/cycle/gang_step.h"
#include "session/placement/gang_needs.h"

namespace trellis {
namespace {

constexpr size_t kFewMovers = 6;     // every set of up to so many is tried
constexpr size_t kMostSingles = 32;  // movers that are tried alone
constexpr size_t kMoversOfATrial = 64;
constexpr size_t kMostJoint = 24;  // movers that are tried all together

bool is_workload(const Mover* mover) { return mover->workload.valid(); }

std::vector<VictimUnit> units_of(const std::vector<const Mover*>& movers) {
  std::vector<VictimUnit> units;
  for (const Mover* mover : movers) units.push_back({mover->gang, false, mover->pods});
  return units;
}

}  // namespace

bool MoveSearch::may_be_moved_for(const RoomSeeker& waiting) const {
  if (!waiting.gang.valid()) return true;
  QueueAmounts need = next_amounts(session_, waiting.gang);
  return may_take(session_, waiting.gang, need).code == ReasonCode::None;
}

bool MoveSearch::may_take_part(GangId gang, WorkloadId workload) const {
  const Cluster& cluster = session_.cluster();
  auto is_free = [&](PodClassId pod_class) { return !session_.fits().order_matters(pod_class); };
  if (workload.valid()) return std::ranges::all_of(cluster.workloads().classes(workload), is_free);
  return std::ranges::all_of(cluster.pods_of(gang), is_free,
                             [&](PodId pod) { return session_.snapshot().key(pod).pod_class; });
}

MoveSearch::Chosen MoveSearch::candidates(const RoomSeeker& waiting) {
  if (!std::exchange(known_, true)) {
    movers_ = find_movers(session_);
    std::erase_if(movers_,
                  [&](const Mover& mover) { return !may_take_part(mover.gang, mover.workload); });
  }
  std::erase_if(movers_, [&](const Mover& mover) { return !may_still_move(session_, mover); });
  Chosen chosen;
  for (const Mover& mover : movers_) {
    if (!mover.gang.valid() || mover.gang != waiting.gang) chosen.push_back(&mover);
  }
  return chosen;
}

bool MoveSearch::run(const RoomSeeker& waiting) {
  if (!on_ || of_action_ <= 0 || !may_take_part(waiting.gang, waiting.workload)) return false;
  Chosen movers = candidates(waiting);
  bool some = waiting.gang.valid() ? std::ranges::any_of(movers, is_workload) : !movers.empty();
  if (!some || !may_be_moved_for(waiting)) return false;
  // Making all of them leave costs as much as some trials.
  of_action_ -= 1 + static_cast<int64_t>(movers.size() / kMoversOfATrial);
  limits();
  DaemonRoom daemons(session_);
  trial_.begin(waiting);
  // It has room as soon as others have left: nothing needs to move.
  if (trial_.nodes_without({})) return false;
  std::optional<std::vector<NodeId>> nodes = trial_.nodes_without(movers);
  if (!nodes) return false;
  trials_left_ = std::clamp<int64_t>(of_action_, 0, kMostTrials);
  int64_t allowed = trials_left_;
  bool few = movers.size() <= kFewMovers;
  bool found = few ? try_sets(waiting, movers) : try_many(waiting, movers, *nodes);
  of_action_ -= allowed - trials_left_;
  return found;
}

bool MoveSearch::try_sets(const RoomSeeker& waiting, const Chosen& movers) {
  std::vector<int32_t> priorities;
  for (const Mover* mover : movers) priorities.push_back(mover->priority);
  for (uint32_t set : sets_by_cost(priorities)) {
    Chosen chosen;
    for (size_t i = 0; i < movers.size(); ++i) {
      if ((set >> i & 1U) != 0) chosen.push_back(movers[i]);
    }
    if (try_set(waiting, chosen)) return true;
  }
  return false;
}

bool MoveSearch::try_many(const RoomSeeker& waiting, const Chosen& movers, const Nodes& nodes) {
  if (try_domains(waiting, movers) || try_those_on(waiting, movers, nodes)) return true;
  for (size_t i = 0; i < movers.size() && i < kMostSingles; ++i) {
    if (try_set(waiting, {movers[i]})) return true;
  }
  Chosen all = movers;
  if (all.size() > kMostJoint) all.resize(kMostJoint);
  return try_least(waiting, all);
}

// The domains of the required level, those with the fewest movers first.
bool MoveSearch::try_domains(const RoomSeeker& waiting, const Chosen& movers) {
  std::optional<Level> required = required_level(waiting);
  if (!required) return false;
  const TopologyTree& tree = session_.snapshot().trees()[required->topology];
  std::map<DomainId, Chosen> inside;
  for (const Mover* mover : movers) {
    for (NodeId node : nodes_of(*mover)) {
      if (!tree.contains(node)) continue;
      Chosen& known = inside[tree.ancestor(tree.domain_of(node), required->level)];
      if (known.empty() || known.back() != mover) known.push_back(mover);
    }
  }
  std::vector<DomainId> order;
  for (const auto& [domain, chosen] : inside) order.push_back(domain);
  std::ranges::stable_sort(order, {}, [&](DomainId domain) { return inside[domain].size(); });
  if (order.size() > kMostDomains) order.resize(kMostDomains);
  std::span<const NodeId> all = session_.snapshot().all_nodes().node_order();
  return std::ranges::any_of(order, [&](DomainId domain) {
    Nodes others;
    std::ranges::copy_if(all, std::back_inserter(others), [&](NodeId node) {
      return !tree.contains(node) || tree.ancestor(tree.domain_of(node), required->level) != domain;
    });
    return try_domain(waiting, inside[domain], others);
  });
}

// `others`: the nodes outside the domain.
bool MoveSearch::try_domain(const RoomSeeker& waiting, const Chosen& inside,
                            std::span<const NodeId> others) {
  Statement::Checkpoint start = session_.statement().checkpoint();
  session_.statement().hold_back(others);
  std::optional<Nodes> nodes = trial_.nodes_without(inside);
  session_.statement().rollback(start);
  return nodes && try_those_on(waiting, inside, *nodes);
}

// Tries the movers that hold room on these nodes, which are sorted.
bool MoveSearch::try_those_on(const RoomSeeker& waiting, const Chosen& movers, const Nodes& nodes) {
  Chosen on_nodes;
  std::ranges::copy_if(movers, std::back_inserter(on_nodes), [&](const Mover* mover) {
    return std::ranges::any_of(
        nodes_of(*mover), [&](NodeId node) { return std::ranges::binary_search(nodes, node); });
  });
  bool few = on_nodes.size() <= kFewMovers;
  return few ? try_sets(waiting, on_nodes) : try_least(waiting, on_nodes);
}

std::optional<MoveSearch::Level> MoveSearch::required_level(const RoomSeeker& waiting) const {
  const Cluster& cluster = session_.cluster();
  const StringTable& strings = cluster.vocabulary().strings;
  if (waiting.gang.valid()) {
    const TopologyConstraint& asked = cluster.gangs()[waiting.gang].topology;
    if (!asked.topology.valid()) return std::nullopt;
    TopologyId topology = cluster.find_topology(strings.view(asked.topology));
    if (!topology.valid()) return std::nullopt;
    int level = resolve_levels(cluster.topologies()[topology], asked, strings).required;
    return level < 0 ? std::nullopt : std::optional(Level{topology, level});
  }
  // The first topology of its queue's flavors; where it is another one, all movers are tried.
  StrId asked = cluster.workloads()[waiting.workload].pod_sets.front().topology.required;
  if (!asked.valid()) return std::nullopt;
  const WorkloadLedger& ledger = session_.snapshot().workloads();
  for (const ResourceGroup& group : cluster.workloads().cluster_queues()[waiting.queue].groups) {
    for (const FlavorQuota& quota : group.flavors) {
      TopologyId topology = ledger.topology_of(cluster, ledger.flavor(quota.flavor));
      if (!topology.valid()) continue;
      std::optional<int> level =
          find_level(cluster.topologies()[topology], strings.view(asked), strings);
      if (level) return Level{topology, *level};
    }
  }
  return std::nullopt;
}

// The nodes on which the mover holds room; may repeat.
MoveSearch::Nodes MoveSearch::nodes_of(const Mover& mover) const {
  Nodes nodes;
  for (PodId pod : mover.pods) nodes.push_back(session_.snapshot().pod(pod).node);
  if (!mover.workload.valid()) return nodes;
  std::ranges::copy(session_.snapshot().workloads().slots().nodes(mover.workload),
                    std::back_inserter(nodes));
  for (const SlotFill& fill : session_.loose_slots(mover.workload)) nodes.push_back(fill.node);
  return nodes;
}

// The set, without the movers that may stay; the last ones move first.
bool MoveSearch::try_least(const RoomSeeker& waiting, Chosen movers) {
  while (!would_do(movers)) {
    if (trial_.stayers().empty()) return false;
    std::erase_if(movers, [&](const Mover* mover) {
      return std::ranges::count(trial_.stayers(), mover) > 0;
    });
  }
  for (size_t i = movers.size(); i-- > 0 && movers.size() > 1;) {
    Chosen fewer = movers;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    if (would_do(fewer)) movers = std::move(fewer);
  }
  return try_set(waiting, movers);
}

bool MoveSearch::may_leave(const Chosen& movers) const { return limits_->allow(units_of(movers)); }

// What is found is undone.
bool MoveSearch::would_do(const Chosen& movers) {
  Statement::Checkpoint start = session_.statement().checkpoint();
  bool done = may_leave(movers) && trials_left_-- > 0 && trial_.run(movers);
  session_.statement().rollback(start);
  return done;
}

bool MoveSearch::try_set(const RoomSeeker& waiting, const Chosen& movers) {
  int64_t most = session_.config().limits.consolidation_victims;
  bool too_many = most >= 0 && static_cast<int64_t>(movers.size()) > most;
  bool gangs_alone = waiting.gang.valid() && std::ranges::none_of(movers, is_workload);
  bool barred = too_many || gangs_alone || movers.empty() || trial_.out_of_work();
  if (barred || !may_leave(movers)) return false;
  if (trials_left_-- <= 0 || !trial_.run(movers)) return false;
  return carry_out(waiting, movers);
}

bool MoveSearch::carry_out(const RoomSeeker& waiting, const Chosen& movers) {
  moved_gangs_.clear();
  for (const Mover* mover : movers) {
    if (mover->gang.valid()) moved_gangs_.push_back(mover->gang);
  }
  limits_->spend(units_of(movers));
  for (WorkloadDecision& decision : trial_.take_decisions()) session_.decide(std::move(decision));
  session_.commit("consolidation");
  if (waiting.gang.valid()) session_.set_reasons(waiting.gang, {});
  return true;
}

void move_for_heads(Session& session, MoveSearch& moves) {
  if (session.snapshot().workloads().empty() || session.hooks().quota_rules == nullptr) return;
  Nominator nominator(session);
  HeadsInTurn heads(session, nominator);
  std::vector<WorkloadClassId> out;
  while (QueueHeads* next = heads.next()) {
    if (moves.run({.gang = {}, .workload = next->head(), .queue = next->queue()})) {
      next->pass();
      heads.forget_cohort();
    } else {
      next->fail(out);
    }
  }
}

}  // namespace trellis
