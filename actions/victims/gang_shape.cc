#include "actions/victims/gang_shape.h"

#include <algorithm>

#include "framework/gang_minimum.h"

namespace trellis {
namespace {

bool has_minimum_without(const Session& session, GangId id, int32_t subgroup, int64_t pods) {
  GangCounts all = session.snapshot().gang_counts()[id];
  std::vector<GangCounts> parts = session.snapshot().subgroup_counts()[id];
  all.placed -= pods;
  if (subgroup >= 0) parts[static_cast<size_t>(subgroup)].placed -= pods;
  return has_minimum(session.cluster().gangs()[id], all, parts);
}

int64_t placed_in(const Session& session, GangId gang, int32_t subgroup) {
  const Snapshot& snapshot = session.snapshot();
  return subgroup < 0 ? snapshot.gang_counts()[gang].placed
                      : snapshot.subgroup_counts()[gang][static_cast<size_t>(subgroup)].placed;
}

}  // namespace

int64_t surplus_pods(const Session& session, GangId id, int32_t subgroup) {
  const Gang& gang = session.cluster().gangs()[id];
  int64_t least = gang.min_member;
  if (subgroup >= 0) least = gang.subgroups[static_cast<size_t>(subgroup)].min_member;
  int64_t above = placed_in(session, id, subgroup) - least;
  if (above <= 0 || !session.has_minimum(id)) return 0;
  if (subgroup < 0) return above;
  int64_t above_all = session.snapshot().gang_counts()[id].placed - gang.min_member;
  return std::max<int64_t>(0, std::min(above, above_all));
}

bool surplus_subgroup(const Session& session, GangId gang, int32_t subgroup) {
  int64_t pods = placed_in(session, gang, subgroup);
  return pods > 0 && session.has_minimum(gang) &&
         has_minimum_without(session, gang, subgroup, pods);
}

std::vector<PodId> pods_to_move(const Session& session, GangId gang, int32_t subgroup) {
  const std::vector<PodId>& all = session.cluster().pods_of(gang);
  std::vector<PodId> pods;
  pods.reserve(all.size());
  for (PodId pod : all) {
    PodState state = session.snapshot().pod(pod);
    // Its node may be gone.
    if (!stands(state.status) || !state.node.valid()) continue;
    if (subgroup < 0 || session.snapshot().key(pod).subgroup == subgroup) pods.push_back(pod);
  }
  std::sort(pods.begin(), pods.end(), [&](PodId a, PodId b) { return session.ranks_before(b, a); });
  return pods;
}

}  // namespace trellis
