#include "actions/victims/gang_units.h"

#include <algorithm>
#include <iterator>

#include "framework/gang_minimum.h"

namespace trellis {
namespace {

bool has_minimum_without(const PlacementContext& context, GangId id, int32_t subgroup,
                         int64_t pods) {
  GangCounts all = context.snapshot().gang_counts()[id];
  std::vector<GangCounts> parts = context.snapshot().subgroup_counts()[id];
  all.placed -= pods;
  if (subgroup >= 0) parts[static_cast<size_t>(subgroup)].placed -= pods;
  return has_minimum(context.cluster().gangs()[id], all, parts);
}

int64_t placed_in(const PlacementContext& context, GangId gang, int32_t subgroup) {
  const Snapshot& snapshot = context.snapshot();
  return subgroup < 0 ? snapshot.gang_counts()[gang].placed
                      : snapshot.subgroup_counts()[gang][static_cast<size_t>(subgroup)].placed;
}

// The topmost subgroup around a leaf, or the leaf itself, that leaves whole; -1: there is none.
int32_t part_around(const Gang& gang, int32_t subgroup) {
  int32_t part = -1;
  for (int32_t at = subgroup; at >= 0; at = gang.subgroups[static_cast<size_t>(at)].parent) {
    if (gang.subgroups[static_cast<size_t>(at)].leaves_whole) part = at;
  }
  return part;
}

}  // namespace

int64_t surplus_pods(const PlacementContext& context, GangId id, int32_t subgroup) {
  const Gang& gang = context.cluster().gangs()[id];
  if (gang.eviction_unit == EvictionUnit::Whole) return 0;
  if (gang.eviction_unit == EvictionUnit::Pod) {
    return part_around(gang, subgroup) >= 0 ? 0 : placed_in(context, id, subgroup);
  }
  int64_t least = gang.min_member;
  if (subgroup >= 0) least = gang.subgroups[static_cast<size_t>(subgroup)].min_member;
  int64_t above = placed_in(context, id, subgroup) - least;
  if (above <= 0 || !context.has_minimum(id)) return 0;
  if (subgroup < 0) return above;
  int64_t above_all = context.snapshot().gang_counts()[id].placed - gang.min_member;
  return std::max<int64_t>(0, std::min(above, above_all));
}

bool surplus_subgroup(const PlacementContext& context, GangId id, int32_t subgroup) {
  const Gang& gang = context.cluster().gangs()[id];
  int64_t pods = placed_in(context, id, subgroup);
  if (pods == 0 || gang.eviction_unit == EvictionUnit::Whole) return false;
  if (gang.eviction_unit == EvictionUnit::Pod) return part_around(gang, subgroup) >= 0;
  return context.has_minimum(id) && has_minimum_without(context, id, subgroup, pods);
}

std::vector<PodId> pods_to_move(const PlacementContext& context, GangId gang, int32_t subgroup) {
  const std::vector<PodId>& all = context.cluster().pods_of(gang);
  std::vector<PodId> pods;
  pods.reserve(all.size());
  for (PodId pod : all) {
    PodState state = context.snapshot().pod(pod);
    // Its node may be gone.
    if (!is_active(state.status) || !state.node.valid()) continue;
    if (subgroup < 0 || context.snapshot().key(pod).subgroup == subgroup) pods.push_back(pod);
  }
  std::sort(pods.begin(), pods.end(), [&](PodId a, PodId b) { return context.ranks_before(b, a); });
  return pods;
}

std::vector<PodId> pods_of_part(const PlacementContext& context, GangId id, int32_t subgroup) {
  const Gang& gang = context.cluster().gangs()[id];
  int32_t part = part_around(gang, subgroup);
  if (gang.eviction_unit != EvictionUnit::Pod || part < 0) {
    return pods_to_move(context, id, subgroup);
  }
  std::vector<PodId> pods = pods_to_move(context, id, -1);
  std::erase_if(pods, [&](PodId pod) {
    return part_around(gang, context.snapshot().key(pod).subgroup) != part;
  });
  return pods;
}

namespace {

// How many pods of the gang may leave one by one, whatever its leaves allow.
int64_t gang_surplus(const PlacementContext& context, GangId id) {
  const Gang& gang = context.cluster().gangs()[id];
  int64_t placed = context.snapshot().gang_counts()[id].placed;
  return gang.eviction_unit == EvictionUnit::Pod ? placed : placed - gang.min_member;
}

// The pods above the minimum of all leaves, in the order in which they leave: always one of the
// leaf that has most pods for each pod of its minimum, the last such leaf first.
void append_singles(const PlacementContext& context, GangId id, std::vector<VictimUnit>& units) {
  const Gang& gang = context.cluster().gangs()[id];
  struct Single {
    PodId pod;
    int32_t leaf = 0;
    int64_t placed = 0;  // in the leaf, when it is this pod's turn
  };
  std::vector<Single> singles;
  int64_t most = 0;  // of all leaves together
  for (size_t i = gang.subgroups.size(); i-- > 0;) {
    auto leaf = static_cast<int32_t>(i);
    std::vector<PodId> pods = pods_to_move(context, id, leaf);
    int64_t surplus = std::min(surplus_pods(context, id, leaf), std::ssize(pods));
    if (surplus > 0) most = gang_surplus(context, id);
    for (int64_t k = 0; k < surplus; ++k) {
      singles.push_back({pods[static_cast<size_t>(k)], leaf, placed_in(context, id, leaf) - k});
    }
  }
  std::stable_sort(singles.begin(), singles.end(), [&](const Single& a, const Single& b) {
    return has_grown_less(gang.subgroups[static_cast<size_t>(b.leaf)], b.placed,
                          gang.subgroups[static_cast<size_t>(a.leaf)], a.placed);
  });
  for (int64_t k = 0; k < std::min(most, std::ssize(singles)); ++k) {
    units.push_back({id, false, {singles[static_cast<size_t>(k)].pod}});
  }
}

}  // namespace

void append_surplus(const PlacementContext& context, GangId id, std::vector<VictimUnit>& units) {
  const Gang& gang = context.cluster().gangs()[id];
  if (gang.subgroups.empty()) {
    std::vector<PodId> pods = pods_to_move(context, id, -1);
    int64_t singles = std::min(surplus_pods(context, id, -1), std::ssize(pods));
    for (int64_t i = 0; i < singles; ++i) {
      units.push_back({id, false, {pods[static_cast<size_t>(i)]}});
    }
    return;
  }
  append_singles(context, id, units);
  int32_t last = -1;  // the part that was added last: its leaves are next to each other
  for (size_t i = gang.subgroups.size(); i-- > 0;) {
    auto leaf = static_cast<int32_t>(i);
    if (!surplus_subgroup(context, id, leaf)) continue;
    int32_t part = gang.eviction_unit == EvictionUnit::Pod ? part_around(gang, leaf) : -1;
    if (part >= 0 && part == last) continue;
    last = part;
    units.push_back({id, false, pods_of_part(context, id, leaf)});
  }
}

void append_whole_gang(const PlacementContext& context, GangId id, std::vector<VictimUnit>& units) {
  append_surplus(context, id, units);
  if (context.cluster().gangs()[id].eviction_unit == EvictionUnit::Pod) return;
  std::vector<PodId> all = pods_to_move(context, id, -1);
  if (!all.empty()) units.push_back({id, true, std::move(all)});
}

}  // namespace trellis
