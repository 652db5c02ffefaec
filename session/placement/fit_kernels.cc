#include "session/placement/fit_kernels.h"

#include <algorithm>

#include "framework/clones.h"

namespace trellis {
namespace {

// Below this, a double holds every integer and the quotient of two of them is never rounded up
// across an integer, so truncating it is exact.
constexpr int64_t kExact = int64_t{1} << 52;

constexpr size_t kBlock = 256;

TRELLIS_CLONES bool block_holds(const int64_t* free, double request, const int32_t* counts,
                                size_t size) {
  int missing = 0;
  for (size_t i = 0; i < size; ++i) {
    missing |= static_cast<double>(counts[i]) * request > static_cast<double>(free[i]) ? 1 : 0;
  }
  return missing == 0;
}

TRELLIS_CLONES void lower_block(const int64_t* free, double request, int32_t* counts, size_t size) {
  constexpr double kLimit = static_cast<double>(kExact);
  for (size_t i = 0; i < size; ++i) {
    double amount = static_cast<double>(free[i]);
    amount = amount < 0.0 ? 0.0 : amount;
    amount = amount > kLimit ? kLimit : amount;
    double fits = amount / request;
    fits = fits > kMostPodsPerNode ? kMostPodsPerNode : fits;
    int32_t count = static_cast<int32_t>(fits);
    counts[i] = count < counts[i] ? count : counts[i];
  }
}

// Most blocks need no division: what fits by the columns before fits by this one too.
void lower_by_doubles(std::span<const int64_t> free, double request, std::span<int32_t> counts) {
  for (size_t start = 0; start < free.size(); start += kBlock) {
    size_t size = std::min(kBlock, free.size() - start);
    bool fresh = counts[start] == kMostPodsPerNode;
    if (!fresh && block_holds(free.data() + start, request, counts.data() + start, size)) continue;
    lower_block(free.data() + start, request, counts.data() + start, size);
  }
}

TRELLIS_CLONES bool any_above(const int64_t* free, int64_t limit, size_t size) {
  int64_t above = 0;
  for (size_t i = 0; i < size; ++i) above |= limit - free[i];  // negative when above
  return above < 0;
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

void lower_to_fit(std::span<const int64_t> free, int64_t request, std::span<int32_t> counts) {
  // Amounts beyond kExact count as kExact, which only matters where the quotient is not capped.
  bool capped = request < kExact / kMostPodsPerNode;
  if (capped || !any_above(free.data(), kExact, free.size())) {
    lower_by_doubles(free, static_cast<double>(request), counts);
    return;
  }
  for (size_t i = 0; i < free.size(); ++i) counts[i] = fit_count(free[i], request, counts[i]);
}

int64_t sum(std::span<const int32_t> counts) { return sum_of(counts.data(), counts.size()); }

}  // namespace trellis
