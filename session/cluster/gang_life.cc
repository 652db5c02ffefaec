#include "session/cluster/gang_life.h"

#include <algorithm>
#include <vector>

#include "framework/gang_minimum.h"

namespace trellis {
namespace {

bool counts_as_placed(PodStatus status) {
  return will_remain(status) || status == PodStatus::Succeeded;
}

std::vector<GangCounts> count_subgroups(const Cluster& cluster, GangId id) {
  const std::vector<Subgroup>& subgroups = cluster.gangs()[id].subgroups;
  std::vector<GangCounts> counts(subgroups.size());
  if (subgroups.empty()) return counts;
  for (PodId pod : cluster.pods_of(id)) {
    const Pod& record = cluster.pods()[pod].pod;
    if (!counts_as_placed(record.status)) continue;
    auto named = [&](const Subgroup& subgroup) { return subgroup.name == record.subgroup; };
    auto found = std::find_if(subgroups.begin(), subgroups.end(), named);
    if (found != subgroups.end()) ++counts[static_cast<size_t>(found - subgroups.begin())].placed;
  }
  return counts;
}

}  // namespace

bool has_succeeded_pods(const Cluster& cluster, GangId gang) {
  const std::vector<PodId>& pods = cluster.pods_of(gang);
  return std::any_of(pods.begin(), pods.end(), [&](PodId pod) {
    return cluster.pods()[pod].pod.status == PodStatus::Succeeded;
  });
}

bool runs_below_minimum(const Cluster& cluster, GangId id) {
  GangCounts all;
  for (PodId pod : cluster.pods_of(id)) {
    PodStatus status = cluster.pods()[pod].pod.status;
    if (status == PodStatus::Succeeded) return false;
    if (will_remain(status)) ++all.placed;
  }
  if (all.placed == 0) return false;
  return !has_minimum(cluster.gangs()[id], all, count_subgroups(cluster, id));
}

}  // namespace trellis
