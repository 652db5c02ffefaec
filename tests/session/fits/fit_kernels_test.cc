#include "session/fits/fit_kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "framework/resources.h"
#include "tests/session/fits/fit_kernels_variants.h"
#include "tests/support/random.h"

namespace trellis::fit_kernels_test {
namespace {

// One node, said plainly.
int32_t plain_fit(int64_t free, int64_t request, int32_t count) {
  if (free < 0) return 0;
  return static_cast<int32_t>(std::min<int64_t>(free / request, count));
}

std::string vector_sets() {
  std::string names;
  for (const FitKernelVariant& variant : fit_kernel_variants()) {
    if (variant.runs_here) names += variant.name + " ";
  }
  return names;
}

void check(const std::vector<int64_t>& free, int64_t request, const std::vector<int32_t>& counts) {
  std::vector<int32_t> wanted = counts;
  for (size_t i = 0; i < free.size(); ++i) {
    wanted[i] = plain_fit(free[i], request, counts[i]);
    ASSERT_EQ(fit_count(free[i], request, counts[i]), wanted[i]) << free[i] << " / " << request;
  }
  int64_t total = 0;
  for (int32_t count : wanted) total += count;
  for (const FitKernelVariant& variant : fit_kernel_variants()) {
    if (!variant.runs_here) continue;
    std::vector<int32_t> found = counts;
    variant.lower_to_fit(free, request, found);
    for (size_t i = 0; i < free.size(); ++i) {
      ASSERT_EQ(found[i], wanted[i]) << variant.name << ": " << free[i] << " / " << request;
    }
    ASSERT_EQ(variant.sum(found), total) << variant.name;
  }
}

TEST(FitKernels, EveryVariantAgreesOnEdges) {
  RecordProperty("instruction_sets", vector_sets());
  std::vector<int64_t> edges = {0, 1, 2, 3, 7, 999, 1000, 1001, 1 << 20, (1 << 20) + 1};
  for (int bit = 30; bit <= 51; ++bit) {
    for (int64_t delta : {-1, 0, 1}) {
      int64_t edge = (int64_t{1} << bit) + delta;
      if (edge <= kMaxAmount) edges.push_back(edge);
    }
  }
  std::vector<int64_t> free = edges;
  for (int64_t edge : edges) free.push_back(-edge);
  for (int64_t request : edges) {
    if (request == 0) continue;
    check(free, request, std::vector<int32_t>(free.size(), kMostPodsPerNode));
    check(free, request, std::vector<int32_t>(free.size(), 5));
    check(free, request, std::vector<int32_t>(free.size(), 0));
  }
}

// Quotients next to an integer are where a rounded division would go wrong.
TEST(FitKernels, NextToMultiples) {
  Random random(7);
  for (int round = 0; round < 2000; ++round) {
    int64_t request = random.between(1, int64_t{1} << random.between(1, 51));
    std::vector<int64_t> free;
    std::vector<int32_t> counts;
    for (int i = 0; i < 40; ++i) {
      int64_t most = std::min<int64_t>(kMaxAmount / request, kMostPodsPerNode + 2);
      int64_t amount = random.between(0, most) * request + random.between(-2, 2);
      free.push_back(std::clamp(amount, -kMaxAmount, kMaxAmount));
      counts.push_back(random.chance(50) ? kMostPodsPerNode
                                         : static_cast<int32_t>(random.below(kMostPodsPerNode)));
    }
    ASSERT_NO_FATAL_FAILURE(check(free, request, counts)) << "round " << round;
  }
}

TEST(FitKernels, EveryLengthAndBlock) {
  Random random(11);
  for (size_t length : {0, 1, 2, 3, 5, 8, 15, 16, 17, 63, 255, 256, 257, 511, 512, 513, 1000}) {
    for (int round = 0; round < 20; ++round) {
      std::vector<int64_t> free;
      std::vector<int32_t> counts;
      bool plenty = random.chance(50);
      for (size_t i = 0; i < length; ++i) {
        free.push_back(plenty ? random.between(1000, 2000) : random.between(-50, 100));
        counts.push_back(static_cast<int32_t>(random.below(12)));
      }
      // A block may begin with a fresh count and go on with old ones.
      if (length > 0 && random.chance(50)) counts[0] = kMostPodsPerNode;
      ASSERT_NO_FATAL_FAILURE(check(free, random.between(1, 20), counts)) << length;
    }
  }
}

TEST(FitKernels, SumsStayFarFromOverflow) {
  std::vector<int32_t> counts(1'000'000, kMostPodsPerNode);
  EXPECT_EQ(sum(counts), int64_t{1'000'000} * kMostPodsPerNode);
}

}  // namespace
}  // namespace trellis::fit_kernels_test
