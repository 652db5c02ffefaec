#include "actions/victims/node_victims.h"

#include <algorithm>
#include <utility>

#include "actions/victims/gang_units.h"
#include "framework/gang_minimum.h"

namespace trellis {

bool NodeVictimFinder::read_deficits() {
  const PodSpec& spec = context_.cluster().pod_classes()[pod_class_];
  deficits_.clear();
  for (const ResourceAmount& item : spec.requests.items()) {
    if (context_.snapshot().state().allocatable[item.resource][node_] < item.amount) return false;
    int64_t free = context_.snapshot().state().future[item.resource][node_];
    if (free < item.amount)
      deficits_.push_back({.resource = item.resource, .amount = item.amount - free});
  }
  by_trial_ =
      spec.gpu_share.active() ||
      std::any_of(context_.hooks().node_counters.begin(), context_.hooks().node_counters.end(),
                  [&](const auto& counter) { return counter.point->applies(pod_class_); });
  return by_trial_ || !deficits_.empty();
}

void NodeVictimFinder::judge(Group& group) {
  int64_t count = static_cast<int64_t>(group.pods.size());
  group.singles = std::min(count, surplus_pods(context_, group.gang, group.subgroup));
  bool subgroup = group.subgroup >= 0 && surplus_subgroup(context_, group.gang, group.subgroup);
  group.core = !subgroup;
  group.whole = subgroup || pool_.may_break(group.gang);
  group.disrupted = set_.disrupts(group.gang);
  if (group.singles == 0) return;
  // Last ranks leave first.
  std::sort(group.pods.begin(), group.pods.end(),
            [&](PodId a, PodId b) { return context_.ranks_before(b, a); });
}

bool NodeVictimFinder::before(const Group& a, const Group& b) const {
  if (a.disrupted != b.disrupted) return a.disrupted;
  if (a.gang != b.gang) return pool_.evict_before(a.gang, b.gang);
  if (a.subgroup < 0 || b.subgroup < 0) return a.subgroup > b.subgroup;
  auto in = [&](const Group& group) { return static_cast<size_t>(group.subgroup); };
  const std::vector<Subgroup>& parts = context_.cluster().gangs()[a.gang].subgroups;
  const std::vector<GangCounts>& counts = context_.snapshot().subgroup_counts()[a.gang];
  auto grown_less = [&](const Group& x, const Group& y) {
    return has_grown_less(parts[in(x)], counts[in(x)].placed, parts[in(y)], counts[in(y)].placed);
  };
  if (grown_less(b, a)) return true;
  return !grown_less(a, b) && a.subgroup > b.subgroup;
}

void NodeVictimFinder::gather() {
  groups_.clear();
  for (Deficit& deficit : deficits_) deficit.given = 0;
  std::vector<PodId> pods;
  for (PodId pod : context_.cluster().pods_of(node_)) {
    PodStatus status = context_.snapshot().pod(pod).status;
    if (!is_active(status)) continue;
    GangId gang = context_.snapshot().key(pod).gang;
    bool out = std::find(excluded_.begin(), excluded_.end(), gang) != excluded_.end();
    if (!out && pool_.may_move(gang)) pods.push_back(pod);
  }
  auto group_of = [&](PodId pod) {
    const PodKey& key = context_.snapshot().key(pod);
    return std::pair(key.gang, key.subgroup);
  };
  std::ranges::stable_sort(pods, {}, group_of);
  for (PodId pod : pods) {
    auto [gang, subgroup] = group_of(pod);
    bool same =
        !groups_.empty() && groups_.back().gang == gang && groups_.back().subgroup == subgroup;
    if (!same) groups_.push_back({.gang = gang, .subgroup = subgroup});
    groups_.back().pods.push_back(pod);
  }
  for (Group& group : groups_) judge(group);
  std::erase_if(groups_, [](const Group& group) { return group.singles == 0 && !group.whole; });
  std::sort(groups_.begin(), groups_.end(),
            [&](const Group& a, const Group& b) { return before(a, b); });
  if (by_trial_) return;
  // A shared device becomes free when its last part does.
  const auto& classes = context_.cluster().pod_classes();
  for (const Group& group : groups_) {
    by_trial_ = by_trial_ || std::any_of(group.pods.begin(), group.pods.end(), [&](PodId pod) {
                  return classes[context_.snapshot().key(pod).pod_class].gpu_share.active();
                });
  }
}

int64_t NodeVictimFinder::amount_of(PodId pod, ResourceId resource) const {
  PodClassId pod_class = context_.snapshot().key(pod).pod_class;
  return context_.cluster().pod_classes()[pod_class].requests.get(resource);
}

void NodeVictimFinder::take(Group& group, int64_t pods) {
  int64_t before = std::exchange(group.taken, pods);
  if (by_trial_) return;
  int sign = pods > before ? 1 : -1;
  for (int64_t i = std::min(before, pods); i < std::max(before, pods); ++i) {
    PodId pod = group.pods[static_cast<size_t>(i)];
    for (Deficit& deficit : deficits_) deficit.given += sign * amount_of(pod, deficit.resource);
  }
}

bool NodeVictimFinder::fits(const Group& group) const {
  if (by_trial_) return fits_by_trial(group);
  return std::ranges::all_of(
      deficits_, [](const Deficit& deficit) { return deficit.given >= deficit.amount; });
}

void NodeVictimFinder::evict_taken(const Group& group) const {
  for (int64_t i = 0; i < group.taken; ++i) {
    context_.statement().evict(group.pods[static_cast<size_t>(i)], GangId());
  }
}

bool NodeVictimFinder::fits_as_it_stands() const {
  return context_.fits().fit_now(pod_class_, FitMode::Future, node_) > 0;
}

bool NodeVictimFinder::fits_by_trial(const Group& group) const {
  Statement::Checkpoint start = context_.statement().checkpoint();
  evict_taken(group);
  bool fits = fits_as_it_stands();
  context_.statement().rollback(start);
  return fits;
}

// Takes as few pods of the group as suffice; false, and none taken, when not even all suffice.
bool NodeVictimFinder::take_least(Group& group) {
  for (int64_t pods = 1; pods <= group.singles; ++pods) {
    take(group, pods);
    if (fits(group)) return true;
  }
  take(group, group.whole ? group.most() : 0);
  if (group.taken > 0 && fits(group)) return true;
  take(group, 0);
  return false;
}

// Takes one group that suffices alone: of equal priority a group that only shrinks is preferred.
bool NodeVictimFinder::take_one_group() {
  Group* best = nullptr;
  int64_t best_taken = 0;
  auto key = [&](const Group& group, int64_t taken) {
    const Gang& gang = context_.cluster().gangs()[group.gang];
    return std::tuple(!group.disrupted, !gang.background, gang.priority, taken > group.singles);
  };
  for (Group& group : groups_) {
    if (best != nullptr && key(*best, best_taken) < key(group, 0)) continue;
    if (!take_least(group)) continue;
    int64_t taken = group.taken;
    take(group, 0);
    if (best != nullptr && key(group, taken) >= key(*best, best_taken)) continue;
    best = &group;
    best_taken = taken;
  }
  if (best != nullptr) take(*best, best_taken);
  return best != nullptr;
}

// How much of the deficits the first `pods` pods of the group make up for.
double NodeVictimFinder::coverage(const Group& group, int64_t pods) const {
  if (by_trial_) return static_cast<double>(pods);
  double covered = 0;
  for (const Deficit& deficit : deficits_) {
    int64_t sum = 0;
    for (int64_t i = 0; i < pods; ++i) {
      sum = add_to_sum(sum, amount_of(group.pods[static_cast<size_t>(i)], deficit.resource));
    }
    covered +=
        static_cast<double>(std::min(sum, deficit.amount)) / static_cast<double>(deficit.amount);
  }
  return covered;
}

// Takes the groups that give most first; then each victim that proves not to be needed stays, the
// last first.
bool NodeVictimFinder::take_many() {
  std::vector<std::pair<double, size_t>> order;
  for (size_t i = 0; i < groups_.size(); ++i) {
    const Group& group = groups_[i];
    order.emplace_back(group.disrupted ? -1e9 : -coverage(group, group.most()), i);
  }
  std::sort(order.begin(), order.end());
  Statement::Checkpoint start = context_.statement().checkpoint();
  bool enough = false;
  for (const auto& [covered, i] : order) {
    Group& group = groups_[i];
    take(group, group.most());
    if (by_trial_) evict_taken(group);
    enough = by_trial_ ? fits_as_it_stands() : fits(group);
    if (enough) break;
  }
  context_.statement().rollback(start);
  if (!enough) return false;
  if (by_trial_) {
    spare_by_trial();
  } else {
    for (size_t i = groups_.size(); i-- > 0;) spare(groups_[i]);
  }
  return true;
}

// Takes none of the group, else as few of its pods as suffice beside the other groups.
void NodeVictimFinder::spare(Group& group) {
  if (group.taken == 0) return;
  int64_t all = group.taken;
  take(group, 0);
  if (!fits(group) && !take_least(group)) take(group, all);
}

// Spares all groups, the last first. By halves: while one half is handled, what is taken of the
// other is evicted in the statement, so that each group is evicted O(log groups) times and not once
// for each other group.
void NodeVictimFinder::spare_by_trial() {
  struct Part {
    size_t first = 0;
    size_t last = 0;
    int halves = 0;  // that were handled
    Statement::Checkpoint start = {};
  };
  Statement& statement = context_.statement();
  std::vector<Part> parts = {{0, groups_.size()}};
  while (!parts.empty()) {
    Part& part = parts.back();
    size_t middle = part.first + (part.last - part.first) / 2;
    if (part.halves == 0) part.start = statement.checkpoint();
    statement.rollback(part.start);
    if (part.last - part.first == 1) spare(groups_[part.first]);
    if (part.last - part.first == 1 || part.halves == 2) {
      parts.pop_back();
      continue;
    }
    Part half = part.halves == 0 ? Part{middle, part.last} : Part{part.first, middle};
    for (size_t i = part.first; i < part.last; ++i) {
      if (i < half.first || i >= half.last) evict_taken(groups_[i]);
    }
    ++part.halves;
    parts.push_back(half);
  }
}

// A gang that leaves altogether first loses what it has above its minimum.
void NodeVictimFinder::add_units(const Group& group, std::vector<VictimUnit>& units) const {
  if (group.taken <= group.singles) {
    for (int64_t i = 0; i < group.taken; ++i) {
      units.push_back({group.gang, false, {group.pods[static_cast<size_t>(i)]}});
    }
  } else if (group.core) {
    append_whole_gang(context_, group.gang, units);
  } else {
    units.push_back({group.gang, false, pods_of_part(context_, group.gang, group.subgroup)});
  }
}

// Each loss may bring a queue down to its share, so that it may not have the next loss.
bool NodeVictimFinder::may_leave_together(std::span<const VictimUnit> units) {
  if (units.size() == 1) return true;
  Statement::Checkpoint start = context_.statement().checkpoint();
  size_t size = set_.size();
  bool all = true;
  for (const VictimUnit& unit : units) {
    if (set_.take(unit)) continue;
    excluded_.push_back(unit.gang);
    all = false;
    break;
  }
  set_.shrink(size);
  context_.statement().rollback(start);
  return all;
}

std::optional<NodeVictims> NodeVictimFinder::find(PodClassId pod_class, NodeId node) {
  pod_class_ = pod_class;
  node_ = node;
  excluded_.clear();
  if (context_.fits().class_verdict(pod_class, node) != ReasonCode::None) return std::nullopt;
  if (!read_deficits()) return std::nullopt;
  while (true) {
    gather();
    if (groups_.empty() || (!take_one_group() && !take_many())) return std::nullopt;
    NodeVictims found;
    for (const Group& group : groups_) {
      if (group.taken > 0) add_units(group, found.units);
    }
    if (!may_leave_together(found.units)) continue;
    found.cost = cost(set_, found.units);
    return found;
  }
}

namespace {

constexpr int64_t kMostCompared = 4096;

}  // namespace

void NodeOffers::follow_changes(const PlacementContext& context) {
  const ChangeLog& changes = context.snapshot().changes();
  auto touched = changes.since(read_to_);
  if (entries_.empty() || !touched) {
    entries_.assign(context.cluster().nodes().size(), {});
  } else {
    for (NodeId node : *touched) entries_[node].known = false;
  }
  read_to_ = changes.end();
}

std::vector<NodeOffers::Offer> NodeOffers::best(const PlacementContext& context,
                                                NodeVictimFinder& finder, size_t most,
                                                int64_t& nodes_left) {
  follow_changes(context);
  std::span<const NodeId> nodes = context.snapshot().all_nodes().node_order();
  std::vector<Offer> offers;
  int64_t compared = 0;
  for (uint32_t i = 0; i < nodes.size() && compared < kMostCompared; ++i) {
    Entry& entry = entries_[nodes[i]];
    if (!entry.known) {
      if (nodes_left-- <= 0) break;
      std::optional<NodeVictims> victims = finder.find(pod_class_, nodes[i]);
      entry.known = true;
      entry.possible = victims.has_value();
      if (victims) entry.cost = victims->cost;
    }
    if (!entry.possible) continue;
    ++compared;
    Offer offer{entry.cost, i};
    if (offers.size() == most && offers.back() <= offer) continue;
    if (offers.size() == most) offers.pop_back();
    offers.insert(std::upper_bound(offers.begin(), offers.end(), offer), offer);
  }
  // find() may try evictions on a node and rolls them back: these changes need not be read.
  read_to_ = context.snapshot().changes().end();
  return offers;
}

}  // namespace trellis
