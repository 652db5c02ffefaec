#include "plugins/numa/pod_aligner.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "framework/resources.h"

namespace trellis {

void CellFalls::stop_below(int64_t cell, int64_t least, int64_t by) {
  if (by > 0) repeats_ = std::min(repeats_, (cell - least) / by);
}

void CellFalls::take(const ZoneNeeds& needs, ZoneMask set) {
  for (const ZoneNeed& need : needs.all) {
    int64_t left = need.amount;
    for (ZoneMask rest = set; rest != 0 && left > 0; rest &= rest - 1) {
      size_t cell = need.column * zones_ + static_cast<size_t>(std::countr_zero(rest));
      int64_t taken = std::clamp<int64_t>(cells_[cell], 0, left);
      if (taken == 0) continue;
      stop_below(cells_[cell], taken, by_[cell]);
      cells_[cell] -= taken;
      left -= taken;
    }
  }
}

void CellFalls::hold(const ZoneNeeds& needs, ZoneMask set) {
  for (const ZoneNeed& need : needs.all) {
    int64_t there = 0;
    int64_t by = 0;
    for (ZoneMask rest = set; rest != 0; rest &= rest - 1) {
      size_t cell = need.column * zones_ + static_cast<size_t>(std::countr_zero(rest));
      there = add_to_sum(there, std::max<int64_t>(0, cells_[cell]));
      by = add_to_sum(by, by_[cell]);
    }
    stop_below(there, need.amount, by);
  }
}

namespace {

// The lowest set of zones that holds the needs; 0: no set does. `trials`: sets that may still be
// tried.
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

}  // namespace

template <class Take>
void PodAligner::for_each_charge(const NumaVerdict& verdict, Take take) const {
  for (size_t i = 0; i < needs_.size(); ++i) {
    if (needs_[i].kind == ContainerKind::Init) continue;
    if (i < verdict.zones.size()) {
      take(needs_[i].needs, verdict.zones[i]);
      continue;
    }
    for (ZoneMask rest = topology_->all(); rest != 0; rest &= rest - 1) {
      take(needs_[i].needs, rest & (~rest + 1));
    }
  }
}

PodAligner::PodAligner(const NumaUnits& units, const NumaNode& node, const NumaOptions& options)
    : topology_(node.topology),
      rules_(options.rules),
      policy_(node.settings.policy),
      alignment_(options.alignment),
      counted_(counted_zones(*node.topology, options.rules)),
      zones_(node.topology->zones.size()),
      passes_(!binds_zones(node.settings.policy, options.rules) || units.passes()) {
  for (const NumaUnit& unit : units.of(node.settings.scope)) {
    needs_.push_back({unit.kind, zone_needs(unit, node, rules_)});
  }
}

bool PodAligner::is_permanent(size_t unit, Held held) const {
  return needs_[unit].kind == ContainerKind::App ||
         (needs_[unit].kind == ContainerKind::Sidecar && held != Held::Containers);
}

bool PodAligner::has(ContainerKind kind) const {
  return std::any_of(needs_.begin(), needs_.end(),
                     [kind](const UnitNeed& unit) { return unit.kind == kind; });
}

NumaVerdict PodAligner::align_greedily(std::span<const int64_t> free, Held held) const {
  NumaVerdict verdict;
  ZoneMask drawn = 0;
  ZoneCells left(free.begin(), free.end());
  std::span<int64_t> cells(left.data(), left.size());
  int64_t trials = kMostTrials;
  for (size_t i = 0; i < needs_.size(); ++i) {
    const ZoneNeeds& needs = needs_[i].needs;
    ZoneMask set = 0;
    if (needs.possible && !needs.all.empty()) {
      if (drawn != 0 && needs.zones == 1) set = lowest_set(needs, cells, zones_, drawn, trials);
      if (set == 0) set = lowest_set(needs, cells, zones_, counted_, trials);
    }
    if (!needs.possible || (set == 0 && !needs.all.empty())) {
      verdict.fits = false;
      verdict.proved = trials >= 0;
      verdict.unit = static_cast<int32_t>(i);
      verdict.lacking = needs.lacking;
      return verdict;
    }
    if (needs_[i].kind == ContainerKind::Init && held == Held::Steering) drawn |= set;
    if (is_permanent(i, held)) take_from(needs, set, cells, zones_);
    verdict.zones.push_back(set);
  }
  return verdict;
}

NumaVerdict PodAligner::align_by_order(std::span<const int64_t> free) const {
  NumaVerdict verdict = align_greedily(free, Held::Sidecars);
  if (!verdict.fits || !has(ContainerKind::Init)) return verdict;
  NumaVerdict steered = align_greedily(free, Held::Steering);
  return steered.fits ? steered : verdict;
}

// Whether a pod that finds no zones in container order may still fit by another assignment.
bool PodAligner::may_search(std::span<const int64_t> free) const {
  if (alignment_ == NumaAlignment::Possible) return true;
  if (policy_ == NumaPolicy::Restricted) return true;
  return has(ContainerKind::Sidecar) && align_greedily(free, Held::Containers).fits;
}

void PodAligner::align_by_search(std::span<const int64_t> free, NumaVerdict& verdict) const {
  for (size_t i = 0; i < needs_.size(); ++i) {
    if (needs_[i].needs.possible) continue;
    verdict.fits = false;
    verdict.unit = static_cast<int32_t>(i);
    verdict.lacking = needs_[i].needs.lacking;
    return;
  }
  AssignmentSearch assignments(needs_, free, zones_);
  verdict.fits = assignments.run(kMostTrials);
  verdict.proved = verdict.fits || assignments.exhausted();
  if (!verdict.fits) return;
  verdict.unit = -1;
  verdict.zones = assignments.zones();
}

NumaVerdict PodAligner::align(std::span<const int64_t> free) const {
  if (passes_) return {};
  if (rules_ == NumaRules::Upstream) return align_greedily(free, Held::Containers);
  NumaVerdict verdict = align_by_order(free);
  if (!verdict.fits && !verdict.lacking.valid() && may_search(free)) {
    align_by_search(free, verdict);
  }
  return verdict;
}

void PodAligner::charge(const NumaVerdict& verdict, std::span<int64_t> free) const {
  for_each_charge(
      verdict, [&](const ZoneNeeds& needs, ZoneMask set) { take_from(needs, set, free, zones_); });
}

// How many pods after the first are given the same zones; `seen` and `by` as in CellFalls.
int64_t PodAligner::repeats_of_verdict(std::span<const int64_t> seen, std::span<const int64_t> by,
                                       int64_t most) const {
  if (passes_) return most;
  if (rules_ == NumaRules::Upstream) return repeats_of_walk(seen, by, Held::Containers, most);
  most = repeats_of_walk(seen, by, Held::Sidecars, most);
  return has(ContainerKind::Init) ? repeats_of_walk(seen, by, Held::Steering, most) : most;
}

int64_t PodAligner::repeats_of_walk(std::span<const int64_t> seen, std::span<const int64_t> by,
                                    Held held, int64_t most) const {
  if (most == 0) return 0;
  NumaVerdict walked = align_greedily(seen, held);
  // The pod may fit again when less is free: once the lowest zone is too small for the first
  // container, that container leaves the zone to the next.
  if (!walked.fits) return 0;
  CellFalls falls(seen, by, zones_);
  for (size_t i = 0; i < needs_.size(); ++i) {
    if (is_permanent(i, held)) {
      falls.take(needs_[i].needs, walked.zones[i]);
    } else {
      falls.hold(needs_[i].needs, walked.zones[i]);
    }
  }
  return falls.repeats(most);
}

int32_t PodAligner::charge_alike(const NumaVerdict& verdict, std::span<const int64_t> seen,
                                 std::span<int64_t> free, int32_t most) const {
  if (most == 1) {
    charge(verdict, free);
    return 1;
  }
  ZoneCells sight(seen.begin(), seen.end());
  ZoneCells before(free.begin(), free.end());
  charge(verdict, free);
  ZoneCells by;
  for (size_t cell = 0; cell < free.size(); ++cell) by.push_back(before[cell] - free[cell]);
  std::span<const int64_t> taken(by.data(), by.size());
  CellFalls falls({before.data(), before.size()}, taken, zones_);
  for_each_charge(verdict, [&](const ZoneNeeds& needs, ZoneMask set) { falls.take(needs, set); });
  int64_t more = repeats_of_verdict({sight.data(), sight.size()}, taken, falls.repeats(most - 1));
  for (size_t cell = 0; cell < free.size(); ++cell) free[cell] -= by[cell] * more;
  return static_cast<int32_t>(1 + more);
}

}  // namespace trellis
