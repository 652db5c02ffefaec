#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "session/placement/pod_rows.h"
#include "tests/support/random.h"
#include "tests/support/world.h"

namespace trellis::gang_rows_test {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

std::vector<RowPods> rows_of(const std::vector<size_t>& sizes) {
  std::vector<RowPods> rows;
  for (size_t size : sizes) rows.push_back({PodClassId(rows.size()), std::vector<PodId>(size)});
  return rows;
}

TEST(GangRows, EqualPodsStandTogetherInOrderOfTheirFirst) {
  World world;
  world.gang("g", {.min_member = 1});
  std::vector<PodId> pods;
  for (int i = 0; i < 5; ++i) {
    pods.push_back(world.pod("p" + std::to_string(i), "g", {.cpu = i == 1 || i == 4 ? 2.0 : 1.0}));
  }
  const Session& session = world.scheduler().open(0);
  std::vector<RowPods> rows = group_rows(session.snapshot(), pods);
  ASSERT_THAT(rows, SizeIs(2));
  EXPECT_THAT(rows[0].pods, ElementsAre(pods[0], pods[2], pods[3]));
  EXPECT_THAT(rows[1].pods, ElementsAre(pods[1], pods[4]));
  EXPECT_EQ(rows[1].pod_class, world.class_of("p1"));
  EXPECT_TRUE(group_rows(session.snapshot(), {}).empty());
}

TEST(GangRows, ChoicesInOrder) {
  EXPECT_THAT(row_choices(rows_of({2, 2}), 3, 10),
              ElementsAre(ElementsAre(2, 1), ElementsAre(1, 2)));
  EXPECT_THAT(row_choices(rows_of({3}), 2, 10), ElementsAre(ElementsAre(2)));
  EXPECT_THAT(row_choices(rows_of({1, 1}), 2, 10), ElementsAre(ElementsAre(1, 1)));
  EXPECT_TRUE(row_choices(rows_of({1, 1}), 3, 10).empty());
  EXPECT_THAT(row_choices(rows_of({5, 5, 5}), 5, 4), SizeIs(4));
}

TEST(GangRows, EveryChoiceOnce) {
  Random random(21);
  for (int round = 0; round < 200; ++round) {
    std::vector<size_t> sizes(1 + random.below(4));
    int64_t all = 0;
    for (size_t& size : sizes) all += static_cast<int64_t>(size = 1 + random.below(4));
    int64_t need = 1 + random.below(static_cast<uint32_t>(all));
    std::vector<std::vector<int64_t>> wanted = {{}};
    for (size_t size : sizes) {
      std::vector<std::vector<int64_t>> longer;
      for (const auto& counts : wanted) {
        for (int64_t count = 0; count <= static_cast<int64_t>(size); ++count) {
          longer.push_back(counts);
          longer.back().push_back(count);
        }
      }
      wanted = std::move(longer);
    }
    std::erase_if(wanted, [&](const std::vector<int64_t>& counts) {
      int64_t sum = 0;
      for (int64_t count : counts) sum += count;
      return sum != need;
    });
    std::sort(wanted.rbegin(), wanted.rend());
    EXPECT_EQ(row_choices(rows_of(sizes), need, 1'000'000), wanted) << "round " << round;
  }
}

}  // namespace
}  // namespace trellis::gang_rows_test
