#include "topology/count_kernels.h"

#include <cstring>

#include "framework/clones.h"

namespace trellis {
namespace {

// Four counts at a time. gcc does not vectorise a minimum under a condition by itself.
using Lanes = int64_t __attribute__((vector_size(32)));
constexpr size_t kLanes = 4;
// Enough independent minima to hide the latency of one behind the others.
constexpr size_t kMinima = 4;

TRELLIS_CLONES int64_t least(const int64_t* counts, size_t size, int64_t needed) {
  const Lanes none = Lanes{} + INT64_MAX;
  Lanes best[kMinima] = {none, none, none, none};
  constexpr size_t kStep = kLanes * kMinima;
  size_t whole = size - size % kStep;
  for (size_t i = 0; i < whole; i += kStep) {
    for (size_t j = 0; j < kMinima; ++j) {
      Lanes lanes;
      std::memcpy(&lanes, counts + i + j * kLanes, sizeof lanes);
      Lanes candidate = lanes < needed ? none : lanes;
      best[j] = candidate < best[j] ? candidate : best[j];
    }
  }
  int64_t least = INT64_MAX;
  for (const Lanes& lanes : best) {
    for (size_t lane = 0; lane < kLanes; ++lane) least = lanes[lane] < least ? lanes[lane] : least;
  }
  for (size_t i = whole; i < size; ++i) {
    if (counts[i] >= needed && counts[i] < least) least = counts[i];
  }
  return least;
}

TRELLIS_CLONES int64_t most(const int64_t* counts, size_t size) {
  int64_t best = 0;
  for (size_t i = 0; i < size; ++i) best = counts[i] > best ? counts[i] : best;
  return best;
}

TRELLIS_CLONES int64_t sum_of(const int64_t* counts, size_t size) {
  int64_t sum = 0;
  for (size_t i = 0; i < size; ++i) sum += counts[i];
  return sum;
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

int64_t total(std::span<const int64_t> counts) { return sum_of(counts.data(), counts.size()); }

}  // namespace trellis
