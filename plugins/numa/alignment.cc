#include "plugins/numa/alignment.h"

#include <algorithm>
#include <bit>
#include <functional>

#include "plugins/numa/pod_aligner.h"

namespace trellis {
namespace {

// The largest sum that `count` zones other than `zone` have together.
int64_t most_beside(std::span<const int64_t> cells, size_t zone, size_t count) {
  if (count == 0) return 0;
  std::vector<int64_t> others;
  for (size_t other = 0; other < cells.size(); ++other) {
    if (other != zone) others.push_back(std::max<int64_t>(0, cells[other]));
  }
  count = std::min(count, others.size());
  std::partial_sort(others.begin(), others.begin() + static_cast<std::ptrdiff_t>(count),
                    others.end(), std::greater<>());
  int64_t sum = 0;
  for (size_t i = 0; i < count; ++i) sum += others[i];
  return sum;
}

}  // namespace

bool binds_zones(NumaPolicy policy, NumaRules rules) {
  return policy == NumaPolicy::SingleNode ||
         (policy == NumaPolicy::Restricted && rules == NumaRules::Kubelet);
}

NumaVerdict align(const NumaUnits& units, const NumaNode& node, const NumaOptions& options) {
  return PodAligner(units, node, options).align(node.free);
}

int32_t pods_in_turn(const NumaUnits& units, const NumaNode& node, const NumaOptions& options,
                     int32_t most) {
  PodAligner aligner(units, node, options);
  ZoneCells left(node.free.begin(), node.free.end());
  std::span<int64_t> cells(left.data(), left.size());
  int32_t count = 0;
  while (count < most) {
    NumaVerdict verdict = aligner.align(cells);
    if (!verdict.fits) break;
    count += aligner.charge_alike(verdict, cells, cells, most - count);
  }
  return count;
}

ZoneRefusal zone_refusal(const NumaUnits& units, const NumaNode& node, const NumaOptions& options) {
  NumaVerdict verdict = align(units, node, options);
  ZoneRefusal refusal;
  if (verdict.fits || verdict.unit < 0) return refusal;
  refusal.unit = verdict.unit;
  if (verdict.lacking.valid()) return refusal;
  std::span<const NumaUnit> in_order = units.of(node.settings.scope);
  auto refused = static_cast<size_t>(verdict.unit);
  size_t zones = node.topology->zones.size();
  ZoneCells free(node.free.begin(), node.free.end());
  for (size_t i = 0; i < std::min(refused, verdict.zones.size()); ++i) {
    if (in_order[i].kind == ContainerKind::Init) continue;
    ZoneNeeds needs = zone_needs(in_order[i], node, options.rules);
    take_from(needs, verdict.zones[i], {free.data(), free.size()}, zones);
  }
  ZoneNeeds needs = zone_needs(in_order[refused], node, options.rules);
  for (size_t zone = 0; zone < zones; ++zone) {
    for (const ZoneNeed& need : needs.all) {
      std::span<const int64_t> cells(free.data() + need.column * zones, zones);
      int64_t lacking = need.amount - std::max<int64_t>(0, cells[zone]) -
                        most_beside(cells, zone, needs.zones - 1);
      if (lacking <= 0) continue;
      refusal.shortages.push_back(
          {static_cast<uint32_t>(zone), node.topology->resources[need.column], lacking});
    }
  }
  return refusal;
}

int32_t pods_by_zone(const ZoneNeeds& needs, std::span<const int64_t> free, size_t zones,
                     ZoneMask counted, int32_t most) {
  if (!needs.possible) return 0;
  if (needs.all.empty()) return most;
  int64_t count = 0;
  for (ZoneMask rest = holding_zones(needs, free, zones) & counted; rest != 0; rest &= rest - 1) {
    auto zone = static_cast<size_t>(std::countr_zero(rest));
    int64_t here = most - count;
    // Devices come last: where few of them are free, the others need no division.
    for (size_t i = needs.all.size(); i-- > 0;) {
      const ZoneNeed& need = needs.all[i];
      if (need.amount == 0 || here == 1) continue;
      int64_t cell = free[need.column * zones + zone];
      here = std::min(here, cell < need.amount * 2 ? 1 : cell / need.amount);
    }
    count += here;
    if (count >= most) break;
  }
  return static_cast<int32_t>(count);
}

void charge(const NumaUnits& units, const NumaNode& node, const NumaVerdict& verdict,
            const NumaOptions& options, std::span<int64_t> free) {
  PodAligner(units, node, options).charge(verdict, free);
}

}  // namespace trellis
