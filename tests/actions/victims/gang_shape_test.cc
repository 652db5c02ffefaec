#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "actions/victims/gang_units.h"
#include "tests/support/world.h"

namespace trellis::gang_shape_test {
namespace {

using ::testing::ElementsAre;

// Three pods of subgroup a and one of b; one pod each will do, but the gang wants three.
TEST(GangShape, ASubgroupShrinksNoFurtherThanItsGang) {
  World world;
  world.node("n", {});
  world.gang("g", {.min_member = 3, .subgroups = {{.name = "a"}, {.name = "b"}}});
  for (const char* name : {"a0", "a1", "a2"}) world.pod(name, "g", {.node = "n", .subgroup = "a"});
  world.pod("b0", "g", {.node = "n", .subgroup = "b"});
  Session& session = world.scheduler().open(0);
  EXPECT_EQ(surplus_pods(session, world.gang_id("g"), 0), 1);
  EXPECT_EQ(surplus_pods(session, world.gang_id("g"), 1), 0);
}

TEST(GangShape, TheLastRanksLeaveFirst) {
  World world;
  world.node("n", {});
  world.gang("g", {.count = 3, .pod = {.node = "n"}});
  Session& session = world.scheduler().open(0);
  EXPECT_THAT(pods_to_move(session, world.gang_id("g"), -1),
              ElementsAre(world.pod_id("g-2"), world.pod_id("g-1"), world.pod_id("g-0")));
}

}  // namespace
}  // namespace trellis::gang_shape_test
