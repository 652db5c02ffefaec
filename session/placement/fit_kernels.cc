#include "session/placement/fit_kernels.h"

#include <algorithm>

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define TRELLIS_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define TRELLIS_CLONES
#endif

namespace trellis {
namespace {

// Below this, a double holds every integer and the quotient of two of them is never rounded up
// across an integer, so truncating it is exact.
constexpr int64_t kExact = int64_t{1} << 52;

TRELLIS_CLONES void lower_by_doubles(const int64_t* free, double request, int32_t* counts,
                                     size_t size) {
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
    lower_by_doubles(free.data(), static_cast<double>(request), counts.data(), free.size());
    return;
  }
  for (size_t i = 0; i < free.size(); ++i) counts[i] = fit_count(free[i], request, counts[i]);
}

int64_t sum(std::span<const int32_t> counts) { return sum_of(counts.data(), counts.size()); }

}  // namespace trellis
