#include "actions/victims/unit_orders.h"

#include <algorithm>
#include <map>
#include <utility>

namespace trellis {

std::vector<VictimUnit> rather_last(const VictimPool& pool, std::vector<VictimUnit> units) {
  std::stable_sort(units.begin(), units.end(), [&](const VictimUnit& a, const VictimUnit& b) {
    if (a.gang != b.gang) return pool.evict_before(b.gang, a.gang);
    return a.core && !b.core;
  });
  return units;
}

std::vector<VictimUnit> single_pods(std::span<const VictimUnit> units) {
  std::vector<VictimUnit> singles;
  for (const VictimUnit& unit : units) {
    for (PodId pod : unit.pods) singles.push_back({unit.gang, unit.core, {pod}});
  }
  return singles;
}

std::vector<VictimUnit> largest_first(const Session& session, std::vector<VictimUnit> units) {
  std::map<GangId, std::pair<int64_t, int64_t>> sizes;
  for (const VictimUnit& unit : units) {
    for (PodId pod : unit.pods) {
      const PodSpec& spec = session.cluster().pod_classes()[session.snapshot().key(pod).pod_class];
      int64_t shares = spec.gpu_share.portion_milli * int64_t{spec.gpu_share.devices};
      std::pair size(spec.requests.get(kGpu) + shares, spec.requests.get(kCpu));
      auto known = sizes.try_emplace(unit.gang, size).first;
      known->second = std::max(known->second, size);
    }
  }
  std::stable_sort(units.begin(), units.end(), [&](const VictimUnit& a, const VictimUnit& b) {
    return sizes[a.gang] > sizes[b.gang];
  });
  return units;
}

std::vector<GangPods> pods_by_gang(const MoveRequest& request, std::span<const VictimUnit> units) {
  std::vector<GangPods> gangs{{request.gang, {}}};
  for (const RowPods& row : request.rows) {
    gangs.front().pods.insert(gangs.front().pods.end(), row.pods.begin(), row.pods.end());
  }
  std::map<GangId, size_t> index;
  for (const VictimUnit& unit : units) {
    auto [known, added] = index.emplace(unit.gang, gangs.size());
    if (added) gangs.push_back({unit.gang, {}});
    std::vector<PodId>& own = gangs[known->second].pods;
    own.insert(own.end(), unit.pods.begin(), unit.pods.end());
  }
  return gangs;
}

}  // namespace trellis
