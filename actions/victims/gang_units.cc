#include "actions/victims/gang_units.h"

#include "actions/victims/gang_shape.h"

namespace trellis {
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
