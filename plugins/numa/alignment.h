// Whether a node's zones can take a pod, and which zones each of its containers gets.
//
// Guarantees: any topology and any demand has an answer; nodes whose policy is none or best-effort
// refuse no pod. By the Kubelet rules containers go in order, each to the lowest zone (or set of
// zones) that holds it; init containers give back what they had, and later containers prefer the
// zones that init containers had; sidecars keep theirs. What the kubelet does beyond that is not
// known well enough to refuse a pod for it: the pod fits where a sidecar in another zone would make
// room, or, where the policy is restricted, another set of zones. With alignment Possible every
// assignment is tried.
// Cost: O(containers x resources x zones), for restricted times the sets of zones tried; the search
// for assignments is bounded by kMostTrials.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plugins/numa/numa_options.h"
#include "plugins/numa/numa_units.h"
#include "plugins/numa/zone_needs.h"

namespace trellis {

inline constexpr int64_t kMostTrials = 100'000;

struct NumaVerdict {
  bool fits = true;
  bool proved = true;           // false: refused because the search gave up
  int32_t unit = -1;            // the first unit that finds no zone
  ResourceId lacking;           // what cannot be had whatever is free; kNone: no such resource
  std::vector<ZoneMask> zones;  // by unit; 0: bound to no zone. Empty where the policy binds none
};

// Whether a node of this policy refuses pods because of its zones.
bool binds_zones(NumaPolicy policy, NumaRules rules);

NumaVerdict align(const NumaUnits& units, const NumaNode& node, const NumaOptions& options);

// How many equal pods the node takes one after the other, as the kubelet would; at most `most`.
// Cost: an alignment or two each time that a pod is given other zones than the one before it.
int32_t pods_in_turn(const NumaUnits& units, const NumaNode& node, const NumaOptions& options,
                     int32_t most);

// What one zone lacks for a unit.
struct ZoneShortage {
  uint32_t zone = 0;
  ResourceId resource;
  int64_t short_by = 0;
};
struct ZoneRefusal {
  int32_t unit = -1;  // the first that finds no zone; -1: the pod fits
  // By zone, then by resource; empty where the request cannot be met whatever is free. For a unit
  // that takes several zones together: the shortage of this zone with the best of the other zones.
  std::vector<ZoneShortage> shortages;
};
ZoneRefusal zone_refusal(const NumaUnits& units, const NumaNode& node, const NumaOptions& options);

// How many equal pods of one unit fit into `counted` of the zones, each in one; at most `most`.
// Cost: O(zones x resources), mostly without a division.
int32_t pods_by_zone(const ZoneNeeds& needs, std::span<const int64_t> free, size_t zones,
                     ZoneMask counted, int32_t most);

// Takes a pod off the free cells: off the zones that the verdict names, else off every zone,
// because it is not known which zones the kubelet took.
void charge(const NumaUnits& units, const NumaNode& node, const NumaVerdict& verdict,
            const NumaOptions& options, std::span<int64_t> free);

}  // namespace trellis
