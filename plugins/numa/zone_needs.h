// The amounts that a unit needs of a node's zones, and the sets of zones that have them.
//
// A unit may be bound to one zone (policy single-numa-node) or to a set of zones (restricted). The
// size of the set is the smallest number of zones that could hold the request if no other container
// were there; the kubelet then takes no other size, and the same size for each resource.
#pragma once

#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <span>

#include "framework/numa.h"
#include "framework/resources.h"
#include "plugins/numa/numa_options.h"
#include "plugins/numa/numa_policy.h"
#include "plugins/numa/numa_units.h"

namespace trellis {

// A node whose zones restrict pods.
struct NumaNode {
  const NumaTopology* topology = nullptr;
  NumaSettings settings;
  const ResourceList* allocatable = nullptr;  // of the node
  std::span<const int64_t> free;              // cells as in NumaTopology
};

using ZoneCells = boost::container::small_vector<int64_t, 64>;

struct ZoneNeed {
  uint32_t column = 0;
  int64_t amount = 0;  // 0: the zone must only list the resource
  bool operator==(const ZoneNeed&) const = default;
};

struct ZoneNeeds {
  bool possible = true;                             // false: not met whatever is free
  boost::container::small_vector<ZoneNeed, 4> all;  // empty: the unit is bound to no zone
  uint32_t zones = 1;                               // how many zones the unit takes together
  ResourceId lacking;                               // when `possible` is false
};

ZoneNeeds zone_needs(const NumaUnit& unit, const NumaNode& node, NumaRules rules);

// Zones that count: scheduler-plugins ignores zones that are not named node-0 .. node-63.
ZoneMask counted_zones(const NumaTopology& topology, NumaRules rules);
// Zones whose amounts make the score: the zones that scheduler-plugins reads, so that its scores
// and ours can be compared; by the Kubelet rules all zones, where scheduler-plugins reads none.
ZoneMask scored_zones(const NumaTopology& topology, NumaRules rules);

// Zones that each hold all the needs alone. REQUIRES: free has the topology's cells.
ZoneMask holding_zones(const ZoneNeeds& needs, std::span<const int64_t> free, size_t zones);

// Whether the zones of `set` hold the needs together.
bool set_holds(const ZoneNeeds& needs, ZoneMask set, std::span<const int64_t> free, size_t zones);

// Takes the needs off the zones of `set`, lowest first; a cell never falls below 0.
void take_from(const ZoneNeeds& needs, ZoneMask set, std::span<int64_t> free, size_t zones);

// The next set of the same size, in the order in which the kubelet prefers sets; 0: no further set
// is among the first `zones`.
ZoneMask next_set(ZoneMask set, size_t zones);
ZoneMask first_set(uint32_t size, size_t zones);

}  // namespace trellis
