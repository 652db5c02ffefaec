#include "plugins/numa/alignment.h"

#include <algorithm>
#include <bit>
#include <functional>
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

// The most that `count` of the other zones have together.
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
