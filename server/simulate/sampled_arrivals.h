// Arrivals without times, as in FGD (USENIX ATC'23): the gangs of a trace come one by one, a second
// apart, in random order, until they request so many percent of the cluster's GPUs.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "server/simulate/traced_gang.h"
#include "session/cluster/cluster.h"

namespace trellis {

// Every gang of the trace once, and more of them drawn again until that many GPUs are requested, or
// as many as that takes; none ends. A gang that is drawn again has a number after its name.
std::vector<TracedGang> sampled_arrivals(std::span<const TracedGang> trace, uint64_t percent,
                                         uint64_t seed, const Cluster& cluster);

}  // namespace trellis
