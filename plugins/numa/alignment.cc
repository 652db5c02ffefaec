#include "plugins/numa/alignment.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "plugins/numa/assignment_search.h"

namespace trellis {
namespace {

// The lowest set of zones that holds it; 0: none does. `trials` is what may still be tried.
ZoneMask lowest_set(const ZoneNeeds& needs, std::span<const int64_t> free, size_t zones,
                    ZoneMask counted, int64_t& trials) {
  if (needs.zones == 1) {
    ZoneMask holding = holding_zones(needs, free, zones) & counted;
    return holding & (~holding + 1);
  }
  for (ZoneMask set = first_set(needs.zones, zones); set != 0; set = next_set(set, zones)) {
    if (--trials < 0) return 0;
    if (set_holds(needs, set, free, zones)) return set;
  }
  return 0;
}

// What is needed, unit by unit; false: one of them is not possible.
bool all_needs(std::span<const NumaUnit> units, const NumaNode& node, NumaRules rules,
               UnitNeeds& all, NumaVerdict& verdict) {
  for (const NumaUnit& unit : units) {
    ZoneNeeds needs = zone_needs(unit, node, rules);
    if (!needs.possible) {
      verdict.fits = false;
      verdict.unit = static_cast<int32_t>(all.size());
      verdict.lacking = needs.lacking;
      return false;
    }
    all.push_back({unit.kind, std::move(needs)});
  }
  return true;
}

// What is left of a container for those after it.
enum class Held : uint8_t {
  Steering,    // sidecars stay, and those that ended draw the next ones to their zones
  Sidecars,    // sidecars stay
  Containers,  // sidecars end like any init container
};

NumaVerdict align_greedily(std::span<const NumaUnit> units, const NumaNode& node, NumaRules rules,
                           Held held) {
  NumaVerdict verdict;
  ZoneMask drawn = 0;
  ZoneMask counted = counted_zones(*node.topology, rules);
  size_t zones = node.topology->zones.size();
  ZoneCells free(node.free.begin(), node.free.end());
  int64_t trials = kMostTrials;
  for (size_t i = 0; i < units.size(); ++i) {
    ZoneNeeds needs = zone_needs(units[i], node, rules);
    ZoneMask set = 0;
    if (needs.possible && !needs.all.empty()) {
      std::span<const int64_t> cells(free.data(), free.size());
      if (drawn != 0 && needs.zones == 1) set = lowest_set(needs, cells, zones, drawn, trials);
      if (set == 0) set = lowest_set(needs, cells, zones, counted, trials);
    }
    if (!needs.possible || (set == 0 && !needs.all.empty())) {
      verdict.fits = false;
      verdict.proved = trials >= 0;
      verdict.unit = static_cast<int32_t>(i);
      verdict.lacking = needs.lacking;
      return verdict;
    }
    if (units[i].kind == ContainerKind::Init && held == Held::Steering) drawn |= set;
    bool stays = units[i].kind == ContainerKind::App ||
                 (units[i].kind == ContainerKind::Sidecar && held != Held::Containers);
    if (stays) take_from(needs, set, {free.data(), free.size()}, zones);
    verdict.zones.push_back(set);
  }
  return verdict;
}

bool has(std::span<const NumaUnit> units, ContainerKind kind) {
  return std::any_of(units.begin(), units.end(),
                     [kind](const NumaUnit& unit) { return unit.kind == kind; });
}

NumaVerdict align_by_order(std::span<const NumaUnit> units, const NumaNode& node) {
  constexpr NumaRules kRules = NumaRules::Kubelet;
  NumaVerdict verdict = align_greedily(units, node, kRules, Held::Sidecars);
  if (!verdict.fits || !has(units, ContainerKind::Init)) return verdict;
  NumaVerdict steered = align_greedily(units, node, kRules, Held::Steering);
  return steered.fits ? steered : verdict;
}

// Whether a pod that finds no place in order may still be placed some other way.
bool may_search(std::span<const NumaUnit> units, const NumaNode& node, const NumaOptions& options) {
  if (options.alignment == NumaAlignment::Possible) return true;
  if (node.settings.policy == NumaPolicy::Restricted) return true;
  return has(units, ContainerKind::Sidecar) &&
         align_greedily(units, node, options.rules, Held::Containers).fits;
}

void align_by_search(std::span<const NumaUnit> units, const NumaNode& node, NumaRules rules,
                     NumaVerdict& verdict) {
  UnitNeeds needs;
  if (!all_needs(units, node, rules, needs, verdict)) return;
  AssignmentSearch assignments(needs, node.free, node.topology->zones.size());
  verdict.fits = assignments.run(kMostTrials);
  verdict.proved = verdict.fits || assignments.exhausted();
  if (!verdict.fits) return;
  verdict.unit = -1;
  verdict.zones = assignments.zones();
}

}  // namespace

bool binds_zones(NumaPolicy policy, NumaRules rules) {
  return policy == NumaPolicy::SingleNode ||
         (policy == NumaPolicy::Restricted && rules == NumaRules::Kubelet);
}

NumaVerdict align(const NumaUnits& units, const NumaNode& node, const NumaOptions& options) {
  if (!binds_zones(node.settings.policy, options.rules) || units.passes()) return {};
  std::span<const NumaUnit> in_order = units.of(node.settings.scope);
  if (options.rules == NumaRules::Upstream) {
    return align_greedily(in_order, node, options.rules, Held::Containers);
  }
  NumaVerdict verdict = align_by_order(in_order, node);
  if (!verdict.fits && !verdict.lacking.valid() && may_search(in_order, node, options)) {
    align_by_search(in_order, node, options.rules, verdict);
  }
  return verdict;
}

int32_t pods_by_zone(const ZoneNeeds& needs, const NumaNode& node, NumaRules rules, int32_t most) {
  if (!needs.possible) return 0;
  size_t zones = node.topology->zones.size();
  int64_t count = 0;
  for (ZoneMask rest = counted_zones(*node.topology, rules); rest != 0; rest &= rest - 1) {
    auto zone = static_cast<size_t>(std::countr_zero(rest));
    int64_t here = most - count;
    for (const ZoneNeed& need : needs.all) {
      int64_t free = node.free[need.column * zones + zone];
      if (free < need.amount) {
        here = 0;
        break;
      }
      // Few fit, as a rule: a division is worth it only where another would.
      if (need.amount > 0 && free < need.amount * 2) {
        here = std::min<int64_t>(here, 1);
      } else if (need.amount > 0) {
        here = std::min(here, free / need.amount);
      }
    }
    count += here;
    if (count >= most) break;
  }
  return static_cast<int32_t>(count);
}

void charge(const NumaUnits& units, const NumaNode& node, const NumaVerdict& verdict,
            const NumaOptions& options, std::span<int64_t> free) {
  std::span<const NumaUnit> in_order = units.of(node.settings.scope);
  size_t zones = node.topology->zones.size();
  for (size_t i = 0; i < in_order.size(); ++i) {
    if (in_order[i].kind == ContainerKind::Init) continue;
    ZoneNeeds needs = zone_needs(in_order[i], node, options.rules);
    if (i < verdict.zones.size()) {
      take_from(needs, verdict.zones[i], free, zones);
      continue;
    }
    for (ZoneMask rest = node.topology->all(); rest != 0; rest &= rest - 1) {
      take_from(needs, rest & (~rest + 1), free, zones);
    }
  }
}

}  // namespace trellis
