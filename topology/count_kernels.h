// Passes over the counts of a level, compiled for several instruction sets with equal results.
#pragma once

#include <cstdint>
#include <span>

namespace trellis {

// The least count that is at least `needed`; INT64_MAX when there is none.
int64_t least_at_least(std::span<const int64_t> counts, int64_t needed);

// The index of the first count that equals `wanted`; counts.size() when there is none.
size_t first_equal(std::span<const int64_t> counts, int64_t wanted);

int64_t largest(std::span<const int64_t> counts);  // 0 when all are below

int64_t total(std::span<const int64_t> counts);

}  // namespace trellis
