#include "session/placement/gang_needs.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

#include "framework/gang_minimum.h"

namespace trellis {
namespace {

constexpr size_t kMostNeedChoices = 64;

// The subgroups of a gang as a tree; index 0 is the gang itself, i + 1 subgroup i.
class NeedTree {
 public:
  NeedTree(const Gang& gang, std::span<const GangCounts> counts) : gang_(gang), counts_(counts) {
    size_t size = gang.subgroups.size();
    children_.resize(size + 1);
    for (size_t i = 0; i < size; ++i) {
      children_[static_cast<size_t>(gang.subgroups[i].parent + 1)].push_back(i + 1);
    }
    std::vector<bool> met = subgroups_with_minimum(gang, counts);
    met_.assign(1, false);
    met_.insert(met_.end(), met.begin(), met.end());
    possible_.assign(size + 1, true);
    // Children come after their parents.
    for (size_t at = size + 1; at-- > 0;) possible_[at] = leaf(at) || !lacks_children(at);
  }

  // Whether there are enough subgroups below it, at every depth, for it to have its minimum.
  bool possible(size_t at) const { return possible_[at]; }

  // The first part that cannot have its minimum although all parts below it can.
  size_t first_lacking() const {
    for (size_t at = 0; at < size(); ++at) {
      bool below =
          std::ranges::all_of(children_[at], [&](size_t child) { return possible_[child]; });
      if (!possible_[at] && below) return at;
    }
    return size();
  }

  bool met(size_t at) const { return met_[at]; }
  bool leaf(size_t at) const { return at > 0 && children_[at].empty(); }
  const std::vector<size_t>& children(size_t at) const { return children_[at]; }
  size_t size() const { return children_.size(); }

  // Sets of children to complete so that `at` has its minimum, early ones first.
  std::vector<std::vector<size_t>> ways(size_t at) const {
    std::vector<size_t> open;
    int32_t have = 0;
    for (size_t child : children_[at]) {
      if (met_[child]) {
        ++have;
      } else if (possible_[child]) {
        open.push_back(child);
      }
    }
    int32_t wanted = children_needed(gang_, static_cast<int32_t>(at) - 1) - have;
    if (wanted <= 0) return {{}};
    return combinations(open, static_cast<size_t>(wanted));
  }

  // The pods that complete the leaves reached from `root`, where inner subgroups complete `chosen`.
  GangNeed need(size_t root, const std::vector<std::vector<size_t>>& chosen) const {
    GangNeed need;
    std::vector<size_t> open{root};
    while (!open.empty()) {
      size_t at = open.back();
      open.pop_back();
      if (leaf(at)) {
        int64_t pods = gang_.subgroups[at - 1].min_member - counts_[at - 1].placed;
        if (pods > 0) need.push_back({static_cast<int32_t>(at - 1), pods});
        continue;
      }
      open.insert(open.end(), chosen[at].begin(), chosen[at].end());
    }
    std::sort(need.begin(), need.end(),
              [](const LeafNeed& a, const LeafNeed& b) { return a.subgroup < b.subgroup; });
    return need;
  }

  bool waits_enough(const GangNeed& need) const {
    return std::all_of(need.begin(), need.end(), [&](const LeafNeed& leaf) {
      return counts_[static_cast<size_t>(leaf.subgroup)].waiting >= leaf.pods;
    });
  }

 private:
  bool lacks_children(size_t at) const {
    int64_t count = std::ranges::count_if(
        children_[at], [&](size_t child) { return met_[child] || possible_[child]; });
    return count < children_needed(gang_, static_cast<int32_t>(at) - 1);
  }

  static std::vector<std::vector<size_t>> combinations(const std::vector<size_t>& of, size_t take) {
    std::vector<std::vector<size_t>> all;
    if (take > of.size()) return all;
    std::vector<size_t> at(take);
    std::iota(at.begin(), at.end(), size_t{0});
    while (all.size() <= kMostNeedChoices) {
      std::vector<size_t>& one = all.emplace_back();
      for (size_t index : at) one.push_back(of[index]);
      size_t turn = take;
      while (turn > 0 && at[turn - 1] == of.size() - take + turn - 1) --turn;
      if (turn == 0) break;
      ++at[turn - 1];
      for (size_t next = turn; next < take; ++next) at[next] = at[next - 1] + 1;
    }
    return all;
  }

  const Gang& gang_;
  std::span<const GangCounts> counts_;
  std::vector<std::vector<size_t>> children_;
  std::vector<bool> met_;
  std::vector<bool> possible_;
};

// Every combination of the nodes' ways, the first ways first; at most kMostNeedChoices.
class WayTurns {
 public:
  explicit WayTurns(const NeedTree& tree) {
    for (size_t at = 0; at < tree.size(); ++at) {
      ways_.push_back(tree.leaf(at) || tree.met(at) ? std::vector<std::vector<size_t>>{{}}
                                                    : tree.ways(at));
    }
    turn_.assign(tree.size(), 0);
  }

  std::vector<std::vector<size_t>> chosen() const {
    std::vector<std::vector<size_t>> sets(ways_.size());
    for (size_t at = 0; at < ways_.size(); ++at) {
      if (turn_[at] < ways_[at].size()) sets[at] = ways_[at][turn_[at]];
    }
    return sets;
  }

  bool next() {
    for (size_t at = ways_.size(); at-- > 0;) {
      if (++turn_[at] < ways_[at].size()) return true;
      turn_[at] = 0;
    }
    return false;
  }

 private:
  std::vector<std::vector<std::vector<size_t>>> ways_;
  std::vector<size_t> turn_;
};

void add_pods(GangNeed& need, int32_t subgroup, int64_t pods) {
  auto at = std::lower_bound(need.begin(), need.end(), subgroup,
                             [](const LeafNeed& a, int32_t b) { return a.subgroup < b; });
  if (at == need.end() || at->subgroup != subgroup) at = need.insert(at, {subgroup, 0});
  at->pods += pods;
}

// Adds pods until `missing` more than the need are in it; false when too few wait. First pods of
// leaves that have their minimum with the need, then whole minimums of other leaves, early ones
// first.
bool add_extra(const Gang& gang, std::span<const GangCounts> counts, int64_t missing,
               GangNeed& need) {
  std::vector<int64_t> taken(gang.subgroups.size(), 0);
  for (const LeafNeed& leaf : need) {
    taken[static_cast<size_t>(leaf.subgroup)] = leaf.pods;
    missing -= leaf.pods;
  }
  auto lacks = [&](size_t i) { return gang.subgroups[i].min_member - counts[i].placed - taken[i]; };
  for (bool whole : {true, false}) {
    for (size_t i = 0; i < gang.subgroups.size() && missing > 0; ++i) {
      int32_t subgroup = static_cast<int32_t>(i);
      if (!is_leaf(gang, subgroup) || (lacks(i) <= 0) != whole) continue;
      int64_t waiting = counts[i].waiting - taken[i];
      int64_t more = std::min(std::max(missing, lacks(i)), waiting);
      if (more <= 0 || more < lacks(i)) continue;
      add_pods(need, subgroup, more);
      taken[i] += more;
      missing -= more;
    }
  }
  return missing <= 0;
}

// The coarsest of the subgroup's layers decides how many pods are placed together.
int64_t segment_size(const std::vector<SegmentLayer>& segments) {
  return segments.empty() ? 1 : std::max(1, segments.front().size);
}

// By leaf (a gang without subgroups is one leaf): the waiting pods of its first segment that has
// any. `sizes`: the size of each leaf's segments.
std::vector<int64_t> next_segments(const PlacementContext& context, GangId gang,
                                   std::span<const int64_t> sizes) {
  std::vector<int64_t> pods(sizes.size(), 1);
  if (std::ranges::all_of(sizes, [](int64_t size) { return size <= 1; })) return pods;
  struct Leaf {
    int64_t position = 0;
    int64_t segment = -1;
    int64_t pods = 0;
  };
  std::vector<Leaf> leaves(sizes.size());
  bool structured = !context.cluster().gangs()[gang].subgroups.empty();
  for (PodId pod : context.ranked_pods(gang)) {
    int32_t subgroup = context.snapshot().key(pod).subgroup;
    if (structured && subgroup < 0) continue;
    size_t index = structured ? static_cast<size_t>(subgroup) : 0;
    if (sizes[index] <= 1) continue;
    Leaf& leaf = leaves[index];
    int64_t mine = leaf.position++ / sizes[index];
    bool waits = context.snapshot().pod(pod).status == PodStatus::Pending &&
                 context.snapshot().key(pod).hold == PodHold::None;
    if (!waits || (leaf.segment >= 0 && mine != leaf.segment)) continue;
    leaf.segment = mine;
    ++leaf.pods;
  }
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] > 1) pods[i] = leaves[i].pods;
  }
  return pods;
}

// The leaves, those first that have the fewest pods for each pod of their minimum.
std::vector<size_t> leaves_by_growth(const Gang& gang, std::span<const GangCounts> counts) {
  std::vector<size_t> leaves;
  for (size_t i = 0; i < gang.subgroups.size(); ++i) {
    if (is_leaf(gang, static_cast<int32_t>(i))) leaves.push_back(i);
  }
  std::stable_sort(leaves.begin(), leaves.end(), [&](size_t a, size_t b) {
    return has_grown_less(gang.subgroups[a], counts[a].placed, gang.subgroups[b], counts[b].placed);
  });
  return leaves;
}

}  // namespace

MinimumNeeds minimum_needs(const PlacementContext& context, GangId id) {
  const Gang& gang = context.cluster().gangs()[id];
  const GangCounts& all = context.snapshot().gang_counts()[id];
  MinimumNeeds needs;
  int64_t missing = gang.min_member - all.placed;
  if (gang.subgroups.empty()) {
    if (all.waiting >= missing) needs.choices.push_back({{-1, missing}});
    return needs;
  }
  std::span<const GangCounts> counts = context.snapshot().subgroup_counts()[id];
  NeedTree tree(gang, counts);
  if (!tree.possible(0)) return needs;
  WayTurns turns(tree);
  size_t tried = 0;
  do {
    if (++tried > kMostNeedChoices) {
      needs.all = false;
      break;
    }
    GangNeed need = tree.need(0, turns.chosen());
    if (!tree.waits_enough(need) || !add_extra(gang, counts, missing, need)) continue;
    bool known = std::find(needs.choices.begin(), needs.choices.end(), need) != needs.choices.end();
    if (!known) needs.choices.push_back(std::move(need));
  } while (turns.next());
  return needs;
}

namespace {

// The first part of the gang that has fewer subgroups than it needs; code None: there is none.
Reason missing_subgroups(const PlacementContext& context, GangId id) {
  const Gang& gang = context.cluster().gangs()[id];
  Reason reason;
  if (gang.subgroups.empty() || context.has_minimum(id)) return reason;
  NeedTree tree(gang, context.snapshot().subgroup_counts()[id]);
  if (tree.possible(0)) return reason;
  size_t at = tree.first_lacking();
  reason.code = ReasonCode::NotEnoughSubgroups;
  reason.needed = children_needed(gang, static_cast<int32_t>(at) - 1);
  reason.found = static_cast<int64_t>(tree.children(at).size());
  if (at == 0) return reason;
  reason.subgroup = context.cluster().vocabulary().strings.view(gang.subgroups[at - 1].name);
  return reason;
}

}  // namespace

Reason missing_pods(const PlacementContext& context, GangId id) {
  const Gang& gang = context.cluster().gangs()[id];
  const GangCounts& all = context.snapshot().gang_counts()[id];
  Reason reason = missing_subgroups(context, id);
  if (reason.code != ReasonCode::None) return reason;
  if (all.placed + all.waiting < gang.min_member) {
    reason.code = ReasonCode::NotEnoughPods;
    reason.needed = gang.min_member;
    reason.found = all.placed + all.waiting;
    return reason;
  }
  bool rests = context.has_minimum(id) && all.waiting == 0;
  if (gang.subgroups.empty() || rests || !next_needs(context, id).empty()) return reason;
  reason.code = ReasonCode::NotEnoughPods;
  reason.needed = gang.min_member;
  reason.found = all.placed + all.waiting;
  std::span<const GangCounts> counts = context.snapshot().subgroup_counts()[id];
  auto name_short_leaf = [&](size_t i, int64_t missing) {
    if (!reason.subgroup.empty() || counts[i].waiting >= missing) return;
    reason.subgroup = context.cluster().vocabulary().strings.view(gang.subgroups[i].name);
    reason.needed = gang.subgroups[i].min_member;
    reason.found = counts[i].placed + counts[i].waiting;
  };
  // The first leaf that lacks pods, among those that the first choice needs.
  NeedTree tree(gang, counts);
  for (const LeafNeed& leaf : tree.need(0, WayTurns(tree).chosen())) {
    name_short_leaf(static_cast<size_t>(leaf.subgroup), leaf.pods);
  }
  // Else the first leaf whose waiting pods do not count, because they are fewer than its minimum.
  for (size_t i = 0; i < gang.subgroups.size(); ++i) {
    bool leaf = is_leaf(gang, static_cast<int32_t>(i));
    if (leaf && counts[i].waiting > 0) {
      name_short_leaf(i, gang.subgroups[i].min_member - counts[i].placed);
    }
  }
  return reason;
}

GangNeeds growth_needs(const PlacementContext& context, GangId id) {
  const Gang& gang = context.cluster().gangs()[id];
  GangNeeds needs;
  if (gang.subgroups.empty()) {
    int64_t size = segment_size(gang.segments);
    needs.push_back({{-1, next_segments(context, id, {&size, 1}).front()}});
    return needs;
  }
  std::span<const GangCounts> counts = context.snapshot().subgroup_counts()[id];
  NeedTree tree(gang, counts);
  WayTurns turns(tree);
  for (size_t at = 1; at < tree.size(); ++at) {
    if (tree.met(at) || !tree.possible(at)) continue;
    GangNeed need = tree.need(at, turns.chosen());
    if (!need.empty() && tree.waits_enough(need)) needs.push_back(std::move(need));
  }
  std::vector<int64_t> sizes;
  for (const Subgroup& subgroup : gang.subgroups) sizes.push_back(segment_size(subgroup.segments));
  std::vector<int64_t> segments = next_segments(context, id, sizes);
  for (size_t leaf : leaves_by_growth(gang, counts)) {
    if (!tree.met(leaf + 1) || counts[leaf].waiting == 0) continue;
    needs.push_back({{static_cast<int32_t>(leaf), segments[leaf]}});
  }
  return needs;
}

GangNeeds next_needs(const PlacementContext& context, GangId gang) {
  if (context.has_minimum(gang)) return growth_needs(context, gang);
  return minimum_needs(context, gang).choices;
}

std::vector<PodId> next_pods(const PlacementContext& context, GangId id) {
  std::vector<PodId> waiting = context.waiting_pods(id);
  const Gang& gang = context.cluster().gangs()[id];
  GangNeed need;
  GangNeeds needs = next_needs(context, id);
  if (!needs.empty()) need = needs.front();
  std::vector<PodId> pods;
  for (const LeafNeed& leaf : need) {
    int64_t left = leaf.pods;
    for (PodId pod : waiting) {
      bool inside = gang.subgroups.empty() || context.snapshot().key(pod).subgroup == leaf.subgroup;
      if (inside && left-- > 0) pods.push_back(pod);
    }
  }
  return pods;
}

namespace {

std::vector<QueueAmounts> waiting_amounts(const PlacementContext& context, GangId gang,
                                          int32_t subgroup) {
  const Snapshot& snapshot = context.snapshot();
  std::vector<QueueAmounts> amounts;
  for (PodId pod : context.cluster().pods_of(gang)) {
    const PodKey& key = snapshot.key(pod);
    if (snapshot.pod(pod).status != PodStatus::Pending || key.hold != PodHold::None) continue;
    if (key.subgroup != subgroup) continue;
    amounts.push_back(snapshot.queues().amounts(context.cluster(), key.pod_class, NodeId()));
  }
  return amounts;
}

int64_t sum_of_smallest(const std::vector<QueueAmounts>& amounts, size_t resource, size_t count) {
  std::vector<int64_t> values;
  for (const QueueAmounts& one : amounts) values.push_back(one.of[resource]);
  if (count < values.size()) {
    std::nth_element(values.begin(), values.begin() + static_cast<ptrdiff_t>(count), values.end());
    values.resize(count);
  }
  int64_t sum = 0;
  for (int64_t value : values) sum = add_to_sum(sum, value);
  return sum;
}

// Whether every pod of the gang waits, and all are needed: the ledger has their sum.
bool wants_all(const PlacementContext& context, GangId gang) {
  const GangCounts& counts = context.snapshot().gang_counts()[gang];
  int64_t pods = static_cast<int64_t>(context.cluster().pods_of(gang).size());
  return counts.placed == 0 && counts.waiting == pods &&
         context.cluster().gangs()[gang].min_member == pods;
}

}  // namespace

QueueAmounts need_amounts(const PlacementContext& context, GangId gang, const GangNeed& need) {
  if (wants_all(context, gang)) return context.snapshot().queues().of(gang).waiting;
  QueueAmounts sum;
  for (const LeafNeed& leaf : need) {
    std::vector<QueueAmounts> waiting = waiting_amounts(context, gang, leaf.subgroup);
    for (size_t i = 0; i < kQueueResources; ++i) {
      int64_t smallest = sum_of_smallest(waiting, i, static_cast<size_t>(leaf.pods));
      sum.of[i] = add_to_sum(sum.of[i], smallest);
    }
  }
  return sum;
}

QueueAmounts next_amounts(const PlacementContext& context, GangId gang) {
  if (wants_all(context, gang)) return context.snapshot().queues().of(gang).waiting;
  if (context.snapshot().gang_counts()[gang].waiting == 0) return {};
  GangNeeds needs = next_needs(context, gang);
  return needs.empty() ? QueueAmounts() : need_amounts(context, gang, needs.front());
}

}  // namespace trellis
