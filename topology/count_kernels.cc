#include "topology/count_kernels.h"

#include "framework/clones.h"

namespace trellis {
namespace {

// Enough independent minima to hide the latency of one behind the others.
constexpr size_t kLanes = 16;

TRELLIS_CLONES int64_t least(const int64_t* counts, size_t size, int64_t needed) {
  int64_t best[kLanes];
  for (int64_t& lane : best) lane = INT64_MAX;
  size_t whole = size - size % kLanes;
  for (size_t i = 0; i < whole; i += kLanes) {
    for (size_t lane = 0; lane < kLanes; ++lane) {
      int64_t count = counts[i + lane];
      int64_t candidate = count < needed ? INT64_MAX : count;
      best[lane] = candidate < best[lane] ? candidate : best[lane];
    }
  }
  for (size_t i = whole; i < size; ++i) {
    int64_t candidate = counts[i] < needed ? INT64_MAX : counts[i];
    best[0] = candidate < best[0] ? candidate : best[0];
  }
  for (int64_t lane : best) best[0] = lane < best[0] ? lane : best[0];
  return best[0];
}

TRELLIS_CLONES int64_t most(const int64_t* counts, size_t size) {
  int64_t best = 0;
  for (size_t i = 0; i < size; ++i) best = counts[i] > best ? counts[i] : best;
  return best;
}

}  // namespace

int64_t least_at_least(std::span<const int64_t> counts, int64_t needed) {
  return least(counts.data(), counts.size(), needed);
}

size_t first_equal(std::span<const int64_t> counts, int64_t wanted) {
  for (size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == wanted) return i;
  }
  return counts.size();
}

int64_t largest(std::span<const int64_t> counts) { return most(counts.data(), counts.size()); }

}  // namespace trellis
