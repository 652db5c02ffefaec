// LeastNUMANodes: the fewer zones the pod's containers need, and the nearer those are, the better.
//
// Each container takes the smallest set of zones that holds it together, of equally small sets the
// nearest by mean cost (an unknown cost counts as 255), and leaves the rest to the next container.
// The score falls with the size of the largest set, and rises by half a step if each set is the
// nearest of its size on the node.
// Cost: the sets of each size up to the size that holds the container, at most kMostSets; a node
// with more sets scores 0.
#pragma once

#include <cstdint>
#include <span>

#include "plugins/numa/numa_options.h"
#include "plugins/numa/numa_units.h"
#include "plugins/numa/zone_needs.h"

namespace trellis {

inline constexpr int64_t kMostSets = 100'000;

int64_t least_numa_score(std::span<const NumaUnit> units, const NumaNode& node, NumaRules rules);

}  // namespace trellis
