// Gangs that get room in NUMA zones at the cost of others, over several cycles.
#include <gtest/gtest.h>

#include <string>

#include "tests/support/zones.h"

namespace trellis::numa_victims_test {
namespace {

// Four zones, each taken by a pod of low priority, and an urgent pod that needs one.
void fill_zones(World& world) {
  NodeId node = world.node("n", {.cpu = 16});
  test::report_zones(world, node, {4, 4, 4, 4}, {0, 0, 0, 0});
  for (int64_t zone = 0; zone < 4; ++zone) {
    test::zoned_gang(world, "low" + std::to_string(zone),
                     {.cores = 4, .priority = 1, .node = "n", .zone = zone});
  }
  test::zoned_gang(world, "urgent", {.cores = 4, .priority = 10});
}

TEST(NumaVictims, OneLeavesAndTheGangWaitsForTheReport) {
  World world;
  fill_zones(world);
  world.cycle(1);
  EXPECT_EQ(world.evictions().size(), 1U);
  EXPECT_EQ(world.status_of("urgent-0"), PodStatus::Pipelined);
  EXPECT_EQ(world.code_of("urgent"), ReasonCode::None);
  for (TimeUs now = 2; now < 6; ++now) {
    world.pass_time();
    world.cycle(now);
    EXPECT_TRUE(world.evictions().empty());
    EXPECT_EQ(world.status_of("urgent-0"), PodStatus::Pipelined);
    EXPECT_EQ(world.code_of("urgent"), ReasonCode::WaitingForZoneReport);
  }
}

TEST(NumaVictims, TheGangStartsWhenTheReportShowsTheRoom) {
  World world;
  fill_zones(world);
  world.cycle(1);
  world.pass_time();
  world.cycle(2);
  world.pass_time();
  test::report_zones(world, world.node_id("n"), {4, 4, 4, 4}, {0, 0, 0, 4});
  world.cycle(3);
  EXPECT_TRUE(world.evictions().empty());
  EXPECT_EQ(world.status_of("urgent-0"), PodStatus::Bound);
  EXPECT_EQ(world.code_of("urgent"), ReasonCode::None);
}

// Another program's pod may have taken the zone meanwhile.
TEST(NumaVictims, ANewReportWithoutRoomBeginsTheSearchAgain) {
  World world;
  fill_zones(world);
  world.cycle(1);
  world.pass_time();
  test::report_zones(world, world.node_id("n"), {4, 4, 4, 5}, {0, 0, 0, 1});
  world.cycle(2);
  EXPECT_EQ(world.evictions().size(), 1U);
  EXPECT_EQ(world.status_of("urgent-0"), PodStatus::Pipelined);
}

// A pod that ended by itself makes room, too.
TEST(NumaVictims, NoneLeavesWhereAPodHasJustEnded) {
  World world;
  fill_zones(world);
  world.remove_pod("low2-0");
  world.cycle(1);
  EXPECT_TRUE(world.evictions().empty());
  EXPECT_EQ(world.status_of("urgent-0"), PodStatus::Pipelined);
  EXPECT_EQ(world.code_of("urgent"), ReasonCode::WaitingForZoneReport);
}

// Beside the urgent pod there is room for the victim in the other zone, but it runs in this one.
TEST(NumaVictims, AVictimThatStaysIsInTheZoneThatItHas) {
  World world;
  NodeId node = world.node("n", {.cpu = 6});
  test::report_zones(world, node, {3, 3}, {1, 2});
  test::zoned_gang(world, "low", {.cores = 2, .priority = 1, .node = "n", .zone = 0});
  test::zoned_gang(world, "stays", {.cores = 1, .priority = 10, .node = "n", .zone = 1});
  test::zoned_gang(world, "urgent", {.cores = 3, .priority = 10});
  world.cycle(1);
  EXPECT_EQ(world.evictions().size(), 1U);
  EXPECT_EQ(world.status_of("urgent-0"), PodStatus::Pipelined);
  // The kubelet would put the low pod back into zone 0: it waits, too.
  world.pass_time();
  world.cycle(2);
  EXPECT_TRUE(world.evictions().empty());
  EXPECT_EQ(world.status_of("urgent-0"), PodStatus::Pipelined);
  EXPECT_EQ(world.status_of("low-0"), PodStatus::Pipelined);
  world.pass_time();
  test::report_zones(world, node, {3, 3}, {3, 2});
  world.cycle(3);
  EXPECT_TRUE(world.evictions().empty());
  EXPECT_EQ(world.status_of("urgent-0"), PodStatus::Bound);
  EXPECT_EQ(world.status_of("low-0"), PodStatus::Bound);
}

}  // namespace
}  // namespace trellis::numa_victims_test
