#include "session/cycle/spare_room.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "tests/support/world.h"

namespace trellis::spare_room_test {
namespace {

// Racks r1 and r2, each of three nodes with one GPU.
class SpareRoomTest : public ::testing::Test {
 protected:
  SpareRoomTest() {
    world.topology("t", {"rack"});
    for (const char* rack : {"r1", "r2"}) {
      for (int i = 1; i <= 3; ++i) {
        world.node(std::string(rack) + "-n" + std::to_string(i),
                   {.gpu = 1, .labels = {{"rack", rack}}});
      }
    }
  }

  // A gang of one-GPU pods that requires a rack.
  GangId gang(const std::string& name, int32_t pods, int32_t spares = 0, TimeUs created = 0) {
    GangId id = world.gang(
        name, {.min_member = pods, .topology = "t", .required = "rack", .created = created});
    Gang copy = world.cluster.gangs()[id];
    copy.spares = spares;
    return world.cluster.upsert(std::move(copy));
  }
  void pod(const std::string& name, const std::string& gang, const std::string& node = "") {
    world.pod(name, gang, {.cpu = 1, .gpu = 1, .node = node});
  }

  World world;
};

TEST_F(SpareRoomTest, NoOtherGangGetsTheRoom) {
  gang("train", 2, 1);
  pod("train-0", "train", "r1-n1");
  pod("train-1", "train", "r1-n2");
  gang("pair", 2, 0, 1);
  pod("pair-0", "pair");
  pod("pair-1", "pair");
  world.gang("loose", {.count = 2, .pod = {.cpu = 1, .gpu = 1}, .created = 2});
  world.cycle();
  EXPECT_EQ(world.status_of("pair-0"), PodStatus::Bound);
  EXPECT_EQ(world.node_of("pair-0").substr(0, 2), "r2");
  // One node of r2 is free, and r1-n3 is kept.
  EXPECT_EQ(world.status_of("loose-0"), PodStatus::Pending);
  EXPECT_EQ(world.status_of("loose-1"), PodStatus::Pending);
}

TEST_F(SpareRoomTest, APodThatWasLostTakesIt) {
  gang("old", 1);
  pod("old-0", "old");
  gang("train", 2, 1, 9);
  pod("train-0", "train", "r1-n1");
  pod("train-1", "train");
  Node failed = world.cluster.nodes()[world.node_id("r1-n2")];
  failed.ready = false;
  world.cluster.upsert(std::move(failed));
  for (int i = 1; i <= 3; ++i) {
    std::string name = "busy" + std::to_string(i);
    gang(name, 1);
    pod(name + "-0", name, "r2-n" + std::to_string(i));
  }
  world.cycle();
  EXPECT_EQ(world.node_of("train-1"), "r1-n3");
  EXPECT_EQ(world.status_of("old-0"), PodStatus::Pending);
}

TEST_F(SpareRoomTest, ADomainWithRoomForThemIsChosen) {
  gang("small", 1);
  pod("small-0", "small", "r1-n1");
  gang("plain", 2, 0, 5);
  gang("train", 2, 1, 4);
  for (const char* name : {"train-0", "train-1"}) pod(name, "train");
  for (const char* name : {"plain-0", "plain-1"}) pod(name, "plain");
  world.cycle();
  EXPECT_EQ(world.node_of("train-0").substr(0, 2), "r2");
  EXPECT_EQ(world.node_of("plain-0").substr(0, 2), "r1");
}

// Kept room is no decision: the next cycle begins without it, and keeps it again.
TEST_F(SpareRoomTest, IsKeptInEveryCycle) {
  gang("train", 2, 1);
  pod("train-0", "train", "r1-n1");
  pod("train-1", "train", "r1-n2");
  for (int cycle = 0; cycle < 3; ++cycle) {
    std::string name = "w" + std::to_string(cycle);
    gang(name, 3, 0, cycle);
    for (int i = 0; i < 3; ++i) pod(name + "-" + std::to_string(i), name);
    EXPECT_EQ(world.cycle(cycle).decisions.size(), cycle == 0 ? 3U : 0U);
    world.pass_time();
  }
  world.gang("one", {.count = 1, .pod = {.cpu = 1, .gpu = 1}});
  world.cycle(4);
  EXPECT_EQ(world.status_of("one-0"), PodStatus::Pending);
}

}  // namespace
}  // namespace trellis::spare_room_test
