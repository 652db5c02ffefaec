// Two ways to bring the pods of a list to a cluster, both drawn by seed.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "bench/packing/openb.h"
#include "framework/config.h"

namespace trellis::bench {

struct PackingInput {
  Config config;
  std::span<const OpenbNode> nodes;
  std::span<const OpenbPod> pods;
  uint64_t seed = 0;
  double moved_part = 0;  // pods that defragmentation may move, as a part of the pods that arrive
};

struct SteadyState {
  double used = 0;   // mean part of the GPUs
  double moved = 0;  // pods, as a part of the pods that arrived
};

// The GPUs requested so far, in percent of all GPUs, at which the GPUs in use are read.
inline constexpr std::array<int, 6> kArrived = {80, 95, 100, 110, 120, 130};

// The pods of such a replay, in the order in which they arrive, by index: every pod of the list
// once and others drawn again until they have requested 130 % of the GPUs, or as many as that
// takes; in random order.
std::vector<size_t> arrivals(const PackingInput& input);

// Pods arrive until they have requested 130 % of the GPUs, and none leaves. The result is the part
// of the GPUs in use at each of kArrived.
std::array<double, kArrived.size()> replay_arrivals(const PackingInput& input);

// Pods drawn from the list arrive for ever and stay for times that are distributed exponentially.
// `load`: what they would use on average if none were rejected, as a part of the GPUs. The result
// is that of the steady state; pods that moved count from the beginning.
SteadyState steady_state(const PackingInput& input, double load);

}  // namespace trellis::bench
