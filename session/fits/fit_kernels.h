// Column passes of the fit count, compiled for several instruction sets with equal results.
#pragma once

#include <cstdint>
#include <span>

namespace trellis {

// The most pods that one node can take, so that sums over a million nodes stay far from overflow.
inline constexpr int32_t kMostPodsPerNode = 1 << 20;

// counts[i] = min(counts[i], floor(free[i] / request)), 0 where free[i] < 0.
// REQUIRES: request in 1..kMaxAmount; free within +-kMaxAmount; counts in 0..kMostPodsPerNode.
void lower_to_fit(std::span<const int64_t> free, int64_t request, std::span<int32_t> counts);

// The same for one node.
int32_t fit_count(int64_t free, int64_t request, int32_t count);

int64_t sum(std::span<const int32_t> counts);

}  // namespace trellis
