#include "plugins/numa/zone_group.h"

#include <algorithm>
#include <bit>

namespace trellis {
namespace {

// No more are told apart where the zone that takes the most is chosen.
constexpr int32_t kMostCompared = 1024;

ZoneMask zones_had(const NumaVerdict& verdict) {
  ZoneMask all = 0;
  for (ZoneMask set : verdict.zones) all |= set;
  return all;
}

// The cells as they are where nobody may have any zone but those of `held`.
ZoneCells cells_inside(const NumaNode& node, ZoneMask held) {
  ZoneCells cells(node.free.begin(), node.free.end());
  size_t zones = node.topology->zones.size();
  for (size_t cell = 0; cell < cells.size(); ++cell) {
    if ((held >> cell % zones & 1) == 0) cells[cell] = kUnlisted;
  }
  return cells;
}

// The group begins where this pod does, or stays where it is.
NumaVerdict align_held(const NumaUnits& units, NumaNode node, ZoneMask held,
                       const NumaOptions& options) {
  ZoneCells inside;
  if (held != 0 && options.alignment == NumaAlignment::Possible) {
    inside = cells_inside(node, held);
    node.free = {inside.data(), inside.size()};
  }
  NumaVerdict verdict = align(units, node, options);
  ZoneMask taken = zones_had(verdict);
  bool shared = std::popcount(taken) <= 1 && (held == 0 || (taken & ~held) == 0);
  verdict.fits = verdict.fits && shared;
  return verdict;
}

int32_t pods_held(const NumaUnits& units, NumaNode node, ZoneMask held, const NumaOptions& options,
                  int32_t most) {
  ZoneCells left(node.free.begin(), node.free.end());
  node.free = {left.data(), left.size()};
  int32_t count = 0;
  for (; count < most; ++count) {
    NumaVerdict verdict = align_held(units, node, held, options);
    if (!verdict.fits) break;
    held |= zones_had(verdict);
    charge(units, node, verdict, options, {left.data(), left.size()});
  }
  return count;
}

struct BestZone {
  ZoneMask zone = 0;  // 0: none takes a pod
  int32_t pods = 0;
};

// The lowest of those that take the most.
BestZone best_zone(const NumaUnits& units, const NumaNode& node, const NumaOptions& options,
                   int32_t most) {
  BestZone best;
  for (ZoneMask rest = node.topology->all(); rest != 0; rest &= rest - 1) {
    ZoneMask zone = rest & (~rest + 1);
    int32_t pods = pods_held(units, node, zone, options, most);
    if (pods > best.pods) best = {zone, pods};
  }
  return best;
}

bool may_choose(ZoneMask held, const NumaOptions& options) {
  return held == 0 && options.alignment == NumaAlignment::Possible;
}

}  // namespace

bool has_zones_to_share(NumaPolicy policy) { return policy != NumaPolicy::None; }

NumaVerdict align_in_group(const NumaUnits& units, NumaNode node, ZoneMask held,
                           const NumaOptions& options) {
  node.settings.policy = NumaPolicy::SingleNode;
  if (may_choose(held, options)) held = best_zone(units, node, options, kMostCompared).zone;
  return align_held(units, node, held, options);
}

int32_t pods_in_group(const NumaUnits& units, NumaNode node, ZoneMask held,
                      const NumaOptions& options, int32_t most) {
  node.settings.policy = NumaPolicy::SingleNode;
  if (may_choose(held, options)) return best_zone(units, node, options, most).pods;
  return pods_held(units, node, held, options, most);
}

ZoneRefusal group_refusal(const NumaUnits& units, NumaNode node, ZoneMask held,
                          const NumaOptions& options) {
  node.settings.policy = NumaPolicy::SingleNode;
  if (held == 0) return zone_refusal(units, node, options);
  ZoneCells inside = cells_inside(node, held);
  node.free = {inside.data(), inside.size()};
  ZoneRefusal refusal = zone_refusal(units, node, options);
  std::erase_if(refusal.shortages,
                [held](const ZoneShortage& one) { return (held >> one.zone & 1) == 0; });
  return refusal;
}

}  // namespace trellis
