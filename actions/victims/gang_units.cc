#include "actions/victims/gang_units.h"

#include <algorithm>

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

}  // namespace

int64_t surplus_pods(const PlacementContext& context, GangId id, int32_t subgroup) {
  const Gang& gang = context.cluster().gangs()[id];
  int64_t least = gang.min_member;
  if (subgroup >= 0) least = gang.subgroups[static_cast<size_t>(subgroup)].min_member;
  int64_t above = placed_in(context, id, subgroup) - least;
  if (above <= 0 || !context.has_minimum(id)) return 0;
  if (subgroup < 0) return above;
  int64_t above_all = context.snapshot().gang_counts()[id].placed - gang.min_member;
  return std::max<int64_t>(0, std::min(above, above_all));
}

bool surplus_subgroup(const PlacementContext& context, GangId gang, int32_t subgroup) {
  int64_t pods = placed_in(context, gang, subgroup);
  return pods > 0 && context.has_minimum(gang) &&
         has_minimum_without(context, gang, subgroup, pods);
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

namespace {

void append_part(const PlacementContext& context, GangId gang, int32_t subgroup,
                 std::vector<VictimUnit>& units) {
  std::vector<PodId> pods = pods_to_move(context, gang, subgroup);
  int64_t singles = surplus_pods(context, gang, subgroup);
  for (int64_t i = 0; i < singles && i < static_cast<int64_t>(pods.size()); ++i) {
    units.push_back({gang, false, {pods[static_cast<size_t>(i)]}});
  }
  if (subgroup < 0 || !surplus_subgroup(context, gang, subgroup)) return;
  units.push_back({gang, false, std::move(pods)});
}

}  // namespace

void append_surplus(const PlacementContext& context, GangId gang, std::vector<VictimUnit>& units) {
  size_t parts = context.cluster().gangs()[gang].subgroups.size();
  for (size_t i = parts; i-- > 0;) append_part(context, gang, static_cast<int32_t>(i), units);
  if (parts == 0) append_part(context, gang, -1, units);
}

void append_whole_gang(const PlacementContext& context, GangId gang,
                       std::vector<VictimUnit>& units) {
  append_surplus(context, gang, units);
  std::vector<PodId> all = pods_to_move(context, gang, -1);
  if (!all.empty()) units.push_back({gang, true, std::move(all)});
}

}  // namespace trellis
