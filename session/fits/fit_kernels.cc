#include "session/fits/fit_kernels.h"

#include <algorithm>
#include <bit>

#include "framework/clones.h"

namespace trellis {
namespace {

// Converts -kMaxAmount..kMaxAmount by way of the mantissa: AVX2 has no instruction for 64-bit
// integers.
inline double as_double(int64_t amount) {
  return std::bit_cast<double>(amount + 0x4338000000000000) - 0x1.8p52;
}

constexpr size_t kBlock = 256;

TRELLIS_CLONES bool block_holds(const int64_t* free, double request, const int32_t* counts,
                                size_t size) {
  int missing = 0;
  for (size_t i = 0; i < size; ++i) {
    missing |= static_cast<double>(counts[i]) * request > as_double(free[i]) ? 1 : 0;
  }
  return missing == 0;
}

TRELLIS_CLONES void lower_block(const int64_t* free, double request, int32_t* counts, size_t size) {
  for (size_t i = 0; i < size; ++i) {
    double fits = as_double(free[i]) / request;
    fits = fits < 0.0 ? 0.0 : fits;
    fits = fits > kMostPodsPerNode ? kMostPodsPerNode : fits;
    int32_t count = static_cast<int32_t>(fits);
    counts[i] = count < counts[i] ? count : counts[i];
  }
}

TRELLIS_CLONES int64_t sum_of(const int32_t* counts, size_t size) {
  int64_t total = 0;
  for (size_t i = 0; i < size; ++i) total += counts[i];
  return total;
}

}  // namespace

int32_t fit_count(int64_t free, int64_t request, int32_t count) {
  if (free < request) return 0;
  return static_cast<int32_t>(std::min<int64_t>(free / request, count));
}

// Most blocks need no division: what fits by the earlier columns fits by this one too.
void lower_to_fit(std::span<const int64_t> free, int64_t request, std::span<int32_t> counts) {
  double amount = static_cast<double>(request);
  for (size_t start = 0; start < free.size(); start += kBlock) {
    size_t size = std::min(kBlock, free.size() - start);
    const int64_t* block = free.data() + start;
    bool fresh = counts[start] == kMostPodsPerNode;
    if (!fresh && block_holds(block, amount, counts.data() + start, size)) continue;
    lower_block(block, amount, counts.data() + start, size);
  }
}

int64_t sum(std::span<const int32_t> counts) { return sum_of(counts.data(), counts.size()); }

}  // namespace trellis
