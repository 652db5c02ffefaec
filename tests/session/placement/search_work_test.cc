#include <gtest/gtest.h>

#include <string>

#include "session/cycle/session.h"
#include "tests/support/world.h"

namespace trellis::search_work_test {
namespace {

int64_t work_on(int nodes, int64_t budget) {
  World world;
  world.config.limits.search_budget = budget;
  for (int i = 0; i < nodes; ++i) world.node("n" + std::to_string(i), {.cpu = 1});
  world.gang("g", {.min_member = 1});
  world.pod("g-0", "g", {.cpu = 1});
  return world.scheduler().open(0).search_work(GangId(0U));
}

// Else a gang whose pods have terms would look at a part of the nodes, and give up.
TEST(SearchWorkTest, GrowsWithTheNodesOfAVeryLargeCluster) {
  EXPECT_EQ(work_on(100, 2'000'000), 2'000'000);
  EXPECT_EQ(work_on(300'000, 2'000'000), 2'000'000 + 50'000 * 8);
  EXPECT_EQ(work_on(300'000, 1'000), 1'000);
}

}  // namespace
}  // namespace trellis::search_work_test
