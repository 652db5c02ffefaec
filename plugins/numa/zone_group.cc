#include "plugins/numa/zone_group.h"

#include <algorithm>
#include <bit>

#include "plugins/numa/pod_aligner.h"

namespace trellis {
namespace {

// When the zone that takes most pods is chosen, numbers of pods above this count as equal.
constexpr int32_t kMostCompared = 1024;

ZoneMask zones_had(const NumaVerdict& verdict) {
  ZoneMask all = 0;
  for (ZoneMask set : verdict.zones) all |= set;
  return all;
}

// The cells, with every zone outside of `held` unlisted, so that no container may have it.
ZoneCells cells_inside(std::span<const int64_t> free, size_t zones, ZoneMask held) {
  ZoneCells cells(free.begin(), free.end());
  for (size_t cell = 0; cell < cells.size(); ++cell) {
    if ((held >> cell % zones & 1) == 0) cells[cell] = kUnlisted;
  }
  return cells;
}

// A group on one node: it begins in the zone of its first pod, or stays in the zones it is held to.
class HeldGroup {
 public:
  HeldGroup(const NumaUnits& units, const NumaNode& node, ZoneMask held, const NumaOptions& options)
      : aligner_(units, node, options),
        zones_(node.topology->zones.size()),
        held_(held),
        keeps_out_(options.alignment == NumaAlignment::Possible) {}

  NumaVerdict align(std::span<const int64_t> free) const {
    ZoneCells seen = cells_seen(free);
    NumaVerdict verdict = aligner_.align({seen.data(), seen.size()});
    ZoneMask taken = zones_had(verdict);
    bool shared = std::popcount(taken) <= 1 && (held_ == 0 || (taken & ~held_) == 0);
    verdict.fits = verdict.fits && shared;
    return verdict;
  }

  // How many pods fit one after the other, at most `most`.
  int32_t fill(std::span<const int64_t> free, int32_t most) {
    ZoneCells left(free.begin(), free.end());
    std::span<int64_t> cells(left.data(), left.size());
    int32_t count = 0;
    while (count < most) {
      NumaVerdict verdict = align(cells);
      if (!verdict.fits) break;
      held_ |= zones_had(verdict);
      ZoneCells seen = cells_seen(cells);
      count += aligner_.charge_alike(verdict, {seen.data(), seen.size()}, cells, most - count);
    }
    return count;
  }

 private:
  ZoneCells cells_seen(std::span<const int64_t> free) const {
    if (held_ != 0 && keeps_out_) return cells_inside(free, zones_, held_);
    return ZoneCells(free.begin(), free.end());
  }

  PodAligner aligner_;
  size_t zones_;
  ZoneMask held_;
  bool keeps_out_;  // keeps pods out of zones that are not in held_
};

struct BestZone {
  ZoneMask zone = 0;  // 0: no zone takes a pod
  int32_t pods = 0;
};

// The lowest of the zones that take most pods.
BestZone best_zone(const NumaUnits& units, const NumaNode& node, const NumaOptions& options,
                   int32_t most) {
  BestZone best;
  for (ZoneMask rest = node.topology->all(); rest != 0; rest &= rest - 1) {
    ZoneMask zone = rest & (~rest + 1);
    int32_t pods = HeldGroup(units, node, zone, options).fill(node.free, most);
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
  return HeldGroup(units, node, held, options).align(node.free);
}

int32_t pods_in_group(const NumaUnits& units, NumaNode node, ZoneMask held,
                      const NumaOptions& options, int32_t most) {
  node.settings.policy = NumaPolicy::SingleNode;
  if (may_choose(held, options)) return best_zone(units, node, options, most).pods;
  return HeldGroup(units, node, held, options).fill(node.free, most);
}

ZoneRefusal group_refusal(const NumaUnits& units, NumaNode node, ZoneMask held,
                          const NumaOptions& options) {
  node.settings.policy = NumaPolicy::SingleNode;
  if (held == 0) return zone_refusal(units, node, options);
  ZoneCells inside = cells_inside(node.free, node.topology->zones.size(), held);
  node.free = {inside.data(), inside.size()};
  ZoneRefusal refusal = zone_refusal(units, node, options);
  std::erase_if(refusal.shortages,
                [held](const ZoneShortage& one) { return (held >> one.zone & 1) == 0; });
  return refusal;
}

}  // namespace trellis
