#include "framework/sort_unique.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/support/random.h"

namespace trellis {
namespace {

std::vector<PodId> ids(std::initializer_list<uint32_t> values) {
  std::vector<PodId> list;
  for (uint32_t value : values) list.emplace_back(value);
  return list;
}

TEST(SortUnique, SortsFewIdsOfALargeTable) {
  std::vector<PodId> list = ids({4'000'000'000, 7, 900'000, 7});
  sort_unique(list);
  EXPECT_EQ(list, ids({7, 900'000, 4'000'000'000}));
}

TEST(SortUnique, SortsTheIdThatMeansNone) {
  std::vector<PodId> list = {PodId(), PodId(1), PodId(0), PodId()};
  sort_unique(list);
  EXPECT_EQ(list, (std::vector<PodId>{PodId(0), PodId(1), PodId()}));
}

TEST(SortUnique, IsWhatASetGives) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    int64_t largest = random.between(1, 3'000);
    std::vector<PodId> list;
    for (int64_t left = random.between(0, 300); left > 0; --left) {
      list.emplace_back(static_cast<uint32_t>(random.between(0, largest)));
    }
    std::set<PodId> model(list.begin(), list.end());
    sort_unique(list);
    EXPECT_EQ(list, std::vector<PodId>(model.begin(), model.end())) << "seed " << seed;
    std::vector<PodId> again = list;
    sort_unique(again);
    EXPECT_EQ(again, list) << "seed " << seed;
  }
}

}  // namespace
}  // namespace trellis
