// How well a pod sits in a node's zones: 0..100, as scheduler-plugins' strategies say.
//
// A zone is scored by what is requested of it and free in it; of the zones with a score above 0 the
// least counts, because the kubelet chooses. Containers count alike. Pods that are not Guaranteed
// score 100, nodes without zones or with another policy than single-numa-node 0; LeastNumaNodes
// (least_numa.h) scores nodes of every policy.
// By the Upstream rules amounts are rounded up to whole CPUs and GPUs first. By both, what
// scheduler-plugins divides by zero over has a score: a container that requests nothing does not
// count, and a single resource is balanced with itself.
#pragma once

#include <cstdint>

#include "plugins/numa/numa_options.h"
#include "plugins/numa/numa_units.h"
#include "plugins/numa/zone_needs.h"

namespace trellis {

inline constexpr int64_t kBestNumaScore = 100;

int64_t numa_score(const NumaUnits& units, const NumaNode& node, const NumaOptions& options);

}  // namespace trellis
