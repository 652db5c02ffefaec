#include "actions/victims/victim_search.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "actions/victims/gang_units.h"
#include "actions/victims/returning_units.h"
#include "framework/topology_levels.h"
#include "topology/tree.h"

namespace trellis {
namespace {

constexpr int64_t kNodeWork = 20;         // to find the victims on a node
constexpr size_t kFewUnits = 8;           // every set of up to this many is tried
constexpr uint32_t kComparedNodes = 256;  // of scopes, once victims have been found in one
constexpr size_t kMostSetTrials = 16;
constexpr size_t kMostOffers = 64;          // kinds of pods that offers are kept for
constexpr size_t kMostVictimsMoved = 4096;  // gangs, when everything is moved
constexpr size_t kMostGivenBack = 32;       // units; a larger set stays as it was found

struct UnitOrder {
  uint32_t members = 0;  // bits
  VictimCost cost;
};

std::vector<VictimUnit> subset(std::span<const VictimUnit> units, uint32_t members) {
  std::vector<VictimUnit> chosen;
  for (size_t i = 0; i < units.size(); ++i) {
    if ((members >> i & 1U) != 0) chosen.push_back(units[i]);
  }
  return chosen;
}

// Whether the set breaks a gang without all units above its minimum.
bool leaves_surplus(std::span<const VictimUnit> units, uint32_t members) {
  for (size_t i = 0; i < units.size(); ++i) {
    if (!units[i].core || (members >> i & 1U) == 0) continue;
    for (size_t j = 0; j < i; ++j) {
      if (units[j].gang == units[i].gang && (members >> j & 1U) == 0) return true;
    }
  }
  return false;
}

// The domains where most pods fit already come first, because least has to leave there; then the
// others. Equal domains are in order of name.
void bring_first(std::vector<DomainId>& domains, const DomainCounts& counts) {
  constexpr size_t kMostFirst = 256;
  std::vector<std::pair<int64_t, DomainId>> first;  // a heap, the last of them on top
  std::vector<DomainId> others;
  for (DomainId domain : domains) {
    std::pair<int64_t, DomainId> next(-counts[domain], domain);
    if (first.size() == kMostFirst && first.front() < next) {
      others.push_back(domain);
      continue;
    }
    first.push_back(next);
    std::push_heap(first.begin(), first.end());
    if (first.size() <= kMostFirst) continue;
    std::pop_heap(first.begin(), first.end());
    others.push_back(first.back().second);
    first.pop_back();
  }
  std::sort_heap(first.begin(), first.end());
  std::sort(others.begin(), others.end());
  domains.clear();
  for (const auto& [fits, domain] : first) domains.push_back(domain);
  domains.insert(domains.end(), others.begin(), others.end());
}

}  // namespace

void VictimSearch::forget() {
  session_.statement().rollback(start_);
  set_.serve(request_);
}

bool VictimSearch::try_units(std::span<const VictimUnit> units) {
  if (trial_.out_of_work()) return false;
  ++result_.trials;
  if (trial_.run(request_, units)) return true;
  result_.code = trial_.failure();
  return false;
}

std::vector<VictimUnit> VictimSearch::units_of(std::span<const GangId> gangs) {
  std::vector<VictimUnit> units;
  for (GangId gang : gangs) {
    if (pool_.may_break(gang)) {
      append_whole_gang(session_, gang, units);
    } else {
      append_surplus(session_, gang, units);
    }
  }
  return units;
}

// Tries the sets by cost: the first that works is the best there is.
bool VictimSearch::try_all_sets(const std::vector<GangId>& gangs) {
  std::vector<VictimUnit> units = units_of(gangs);
  if (units.size() > kFewUnits) return false;
  std::vector<UnitOrder> sets;
  for (uint32_t members = 1; members < (1U << units.size()); ++members) {
    std::vector<VictimUnit> chosen = subset(units, members);
    // A core leaves after what is above the minimum.
    if (leaves_surplus(units, members)) continue;
    sets.push_back({members, cost(set_, chosen)});
  }
  std::stable_sort(sets.begin(), sets.end(), [](const UnitOrder& a, const UnitOrder& b) {
    return std::tie(a.cost, a.members) < std::tie(b.cost, b.members);
  });
  for (const UnitOrder& order : sets) {
    if (try_units(subset(units, order.members))) return true;
  }
  return false;
}

std::vector<Scope> VictimSearch::domain_scopes() const {
  const Gang& gang = session_.cluster().gangs()[request_.gang];
  const Cluster& cluster = session_.cluster();
  const StringTable& strings = cluster.vocabulary().strings;
  if (session_.hooks().feasible_nodes == nullptr || !gang.topology.topology.valid()) return {};
  TopologyId topology = cluster.find_topology(strings.view(gang.topology.topology));
  if (!topology.valid()) return {};
  int level = resolve_levels(cluster.topologies()[topology], gang.topology, strings).required;
  if (level < 0) return {};
  const TopologyTree& tree = session_.snapshot().trees()[topology];
  std::vector<DomainId> domains = home_domains(tree, session_.placed_nodes(request_.gang), level);
  if (domains.empty()) {
    IdRange range = tree.level(level);
    for (uint32_t i = range.first; i < range.last; ++i) domains.emplace_back(i);
  }
  bring_first(domains, session_.fits().domain_counts(topology, request_.rows.front().pod_class,
                                                     FitMode::Future));
  std::vector<Scope> scopes;
  for (DomainId domain : domains) {
    scopes.push_back({&tree, tree.node_range(domain)});
  }
  return scopes;
}

// Where all pods of the request have to be; single nodes for a single pod.
std::vector<Scope> VictimSearch::scopes() const {
  std::vector<Scope> wide = domain_scopes();
  if (wide.empty()) {
    const TopologyTree& all = session_.snapshot().all_nodes();
    wide = {{&all, {0, static_cast<uint32_t>(all.node_order().size())}}};
  }
  if (!is_single()) return wide;
  std::vector<Scope> nodes;
  for (const Scope& scope : wide) {
    for (uint32_t i = scope.range.first; i < scope.range.last; ++i) {
      nodes.push_back({scope.tree, {i, i + 1}});
    }
  }
  return nodes;
}

bool VictimSearch::gather(const Scope& scope) {
  return gathering_.gather(request_.rows.front(), scope, nodes_left_);
}

std::vector<VictimSearch::Choice> VictimSearch::price(std::span<const Scope> scopes) {
  std::vector<Choice> choices;
  uint32_t compared = 0;
  for (size_t i = 0; i < scopes.size() && nodes_left_ > 0; ++i) {
    if (!choices.empty()) compared += scopes[i].range.size();
    if (compared > kComparedNodes) break;
    if (gather(scopes[i])) choices.push_back({set_.cost(), i});
    forget();
  }
  std::sort(choices.begin(), choices.end());
  return choices;
}

bool VictimSearch::is_single() const {
  return request_.rows.size() == 1 && request_.rows.front().pods.size() == 1;
}

NodeOffers& VictimSearch::offers() {
  PodClassId pod_class = request_.rows.front().pod_class;
  OffersKey key{session_.snapshot().queues().queue_of_gang()[request_.gang].raw(),
                session_.cluster().gangs()[request_.gang].priority, pod_class};
  if (offers_.size() >= kMostOffers && !offers_.contains(key)) offers_.clear();
  return offers_.try_emplace(key, pod_class).first->second;
}

// Tries the nodes for one pod that may be on any of them.
bool VictimSearch::try_nodes() {
  std::span<const NodeId> nodes = session_.snapshot().all_nodes().node_order();
  NodeOffers& kept = offers();
  PodClassId pod_class = request_.rows.front().pod_class;
  for (size_t trial = 0; trial < kMostSetTrials;) {
    std::vector<NodeOffers::Offer> best =
        kept.best(session_, finder_, kMostSetTrials - trial, nodes_left_);
    bool stale = false;
    for (const NodeOffers::Offer& offer : best) {
      std::optional<NodeVictims> victims = finder_.find(pod_class, nodes[offer.position]);
      // Since the offer was made, queues may have lost all that they may lose.
      stale = !victims || victims->cost != offer.cost;
      if (stale) kept.forget(nodes[offer.position]);
      if (stale) break;
      ++trial;
      if (try_units(victims->units)) return true;
    }
    if (!stale) return false;
  }
  return false;
}

// What victims may lose on their other nodes has changed: forgets the offers of these nodes.
std::vector<GangId> VictimSearch::settle() {
  std::vector<GangId> victims;
  for (const VictimUnit& unit : set_.units()) {
    if (victims.empty() || victims.back() != unit.gang) victims.push_back(unit.gang);
    for (PodId pod : session_.cluster().pods_of(unit.gang)) {
      NodeId node = session_.cluster().pods()[pod].node;
      if (!node.valid()) continue;
      for (auto& [key, kept] : offers_) kept.forget(node);
    }
  }
  limits_.spend(set_.units());
  pool_.settle();
  return victims;
}

bool VictimSearch::try_scopes() {
  bool plain = request_.rows.size() == 1 && session_.fits().plain(request_.rows.front().pod_class);
  if (!plain) return false;
  if (is_single() && domain_scopes().empty()) return try_nodes();
  std::vector<Scope> all = scopes();
  std::vector<Choice> choices = price(all);
  if (choices.size() > kMostSetTrials) choices.resize(kMostSetTrials);
  for (const Choice& choice : choices) {
    gather(all[choice.scope]);
    std::vector<VictimUnit> units = set_.units();
    forget();
    if (try_units(units)) return true;
  }
  return false;
}

// Tries the units; then those alone that may also stay: the others might have no other place, and
// every victim of a consolidation needs one. Leaves those that were tried last.
bool VictimSearch::try_together(std::vector<VictimUnit>& units) {
  if (try_units(units)) return true;
  if (request_.cause != MoveCause::Consolidation) return false;
  ReturningUnits returning = returning_units(session_, request_, units);
  ruled_out_ = returning.all_that_help;
  if (returning.units.empty()) return false;
  bool fewer = returning.units.size() < units.size();
  units = std::move(returning.units);
  if (fewer && try_units(units)) return true;
  ruled_out_ = ruled_out_ && trial_.refuted();
  return false;
}

// Tries all gangs together, in the order in which they are preferred; the trial gives back those
// that are not in the way.
bool VictimSearch::try_everything() {
  std::vector<GangId> gangs = pool_.some(SIZE_MAX);
  std::sort(gangs.begin(), gangs.end(),
            [&](GangId a, GangId b) { return pool_.evict_before(a, b); });
  bool all = gangs.size() <= kMostVictimsMoved;
  if (!all) gangs.resize(kMostVictimsMoved);
  std::vector<VictimUnit> allowed;
  // As many units as the queues may lose together.
  for (const VictimUnit& unit : units_of(gangs)) {
    bool taken = set_.take(unit);
    all = all && taken;
    if (taken) allowed.push_back(unit);
  }
  forget();
  if (allowed.empty()) return false;
  // The shortest beginning of the list that suffices.
  if (!try_together(allowed)) {
    ruled_out_ = ruled_out_ && all;
    return false;
  }
  size_t enough = allowed.size();
  size_t too_few = 0;
  while (too_few + 1 < enough) {
    size_t middle = (too_few + enough) / 2;
    forget();
    if (try_units({allowed.data(), middle})) {
      enough = middle;
    } else {
      too_few = middle;
    }
  }
  allowed.resize(enough);
  return try_fewer(std::move(allowed));
}

// Of a set that suffices, gives back one unit after the other, the least preferred first, as long
// as the rest suffices.
bool VictimSearch::try_fewer(std::vector<VictimUnit> units) {
  for (size_t i = units.size() > kMostGivenBack ? 0 : units.size(); i-- > 0 && units.size() > 1;) {
    std::vector<VictimUnit> fewer = units;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    bool core_stays = std::ranges::none_of(
        fewer, [&](const VictimUnit& unit) { return unit.core && unit.gang == units[i].gang; });
    forget();
    if (core_stays && try_units(fewer)) units = std::move(fewer);
  }
  forget();
  return try_units(units);
}

MoveSearchResult VictimSearch::run(const MoveRequest& request) {
  request_ = request;
  result_ = {};
  ruled_out_ = false;
  start_ = session_.statement().checkpoint();
  nodes_left_ = std::max<int64_t>(1, session_.config().limits.search_budget / kNodeWork);
  pool_.serve(request);
  set_.serve(request);
  bool others_may_move =
      request.cause == MoveCause::Reclaim && session_.config().queues.allow_consolidating_reclaim;
  if (others_may_move) pool_.set_shares(VictimPool::Shares::JudgedLater);
  std::vector<GangId> few = pool_.some(kFewUnits + 1);
  if (few.empty()) {
    result_.code = ReasonCode::NoVictims;
    return result_;
  }
  trial_.begin(request);
  std::sort(few.begin(), few.end(), [&](GangId a, GangId b) { return pool_.evict_before(a, b); });
  bool all_sets = few.size() <= kFewUnits && units_of(few).size() <= kFewUnits;
  if (!all_sets) pool_.set_shares(VictimPool::Shares::Heeded);
  bool ruled_out = all_sets && (!trial_.could_place(request_, units_of(few)) ||
                                trial_.rules_out(request_, units_of(few)));
  if (ruled_out && !trial_.out_of_work()) {
    result_.code = ReasonCode::VictimsNoFit;
    return result_;
  }
  bool found = all_sets ? try_all_sets(few) : try_scopes() || try_everything();
  if (found) result_.outcome = MoveSearchResult::Outcome::Moved;
  result_.kept_back = trial_.kept_back();
  if (trial_.out_of_work()) session_.count_exhausted(trial_.work());
  // Where not every set is tried, another may let the gang in.
  bool open = !all_sets && request.cause == MoveCause::Consolidation && !ruled_out_;
  bool exhausted =
      !found && (open || (!all_sets && nodes_left_ <= 0) || trial_.out_of_work() || trial_.cut());
  if (exhausted) result_.outcome = MoveSearchResult::Outcome::BudgetExhausted;
  return result_;
}

}  // namespace trellis
