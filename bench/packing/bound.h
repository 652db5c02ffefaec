// An upper bound on the GPUs that any placement of pods uses: in any order, with any pods left out.
//
// All nodes of one kind count as one large node, and pods may be split: so the bound is not always
// reached. Suppose that each CPU, byte and GPU of a kind of nodes has a price. Then no choice of
// pods is worth more than all that the nodes have at these prices, and for each pod what its GPUs
// are worth above its cheapest place. That holds for all prices of at least 0; prices that make the
// sum small are found by repeated adjustment.
// Parts of GPUs: parts that do not fit beside each other count for more than their size. For every
// k, (k + 1) x, rounded down and divided by k, is such a size of a part x: parts that share a GPU
// never add up to more than 1 (a dual feasible function). Each k has a price of its own.
#pragma once

#include <array>

#include "bench/packing/replay.h"

namespace trellis::bench {

// As replay_arrivals(), for the same pods: the part of the GPUs that can be in use at most.
std::array<double, kArrived.size()> bound_arrivals(const PackingInput& input);

}  // namespace trellis::bench
