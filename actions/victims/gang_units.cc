#include "actions/victims/gang_units.h"

#include "actions/victims/gang_shape.h"

namespace trellis {
namespace {

void append_part(const Session& session, GangId gang, int32_t subgroup,
                 std::vector<VictimUnit>& units) {
  std::vector<PodId> pods = pods_to_move(session, gang, subgroup);
  int64_t singles = surplus_pods(session, gang, subgroup);
  for (int64_t i = 0; i < singles && i < static_cast<int64_t>(pods.size()); ++i) {
    units.push_back({gang, false, {pods[static_cast<size_t>(i)]}});
  }
  if (subgroup < 0 || !surplus_subgroup(session, gang, subgroup)) return;
  units.push_back({gang, false, std::move(pods)});
}

}  // namespace

void append_surplus(const Session& session, GangId gang, std::vector<VictimUnit>& units) {
  size_t parts = session.cluster().gangs()[gang].subgroups.size();
  for (size_t i = parts; i-- > 0;) append_part(session, gang, static_cast<int32_t>(i), units);
  if (parts == 0) append_part(session, gang, -1, units);
}

void append_whole_gang(const Session& session, GangId gang, std::vector<VictimUnit>& units) {
  append_surplus(session, gang, units);
  std::vector<PodId> all = pods_to_move(session, gang, -1);
  if (!all.empty()) units.push_back({gang, true, std::move(all)});
}

}  // namespace trellis
