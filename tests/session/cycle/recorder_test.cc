// World::cycle() compares each record with one that is written from nothing, and aborts where they
// differ: what stands here is what other tests do not come across.
#include "session/cycle/recorder.h"

#include <gtest/gtest.h>

#include <memory>

#include "tests/support/world.h"

namespace trellis::recorder_test {
namespace {

TEST(Recorder, DevicesThatMoveWithANeighbourAreRewritten) {
  World world;
  world.node("n", {.gpu = 2});
  world.gang("g", {.min_member = 1});
  world.pod("silent", "g", {.share = {.milli = 800}, .node = "n"});
  EXPECT_EQ(world.cycle().pods[world.pod_id("silent")].gpus.at(0).device, 0);
  world.gang("h", {.min_member = 1});
  world.pod("named", "h", {.share = {.milli = 300}, .node = "n", .gpu_groups = {"0"}});
  EXPECT_EQ(world.cycle().pods[world.pod_id("silent")].gpus.at(0).device, 1);
}

TEST(Recorder, WhatAnotherSchedulerDecidedIsNotTakenForItsOwn) {
  World other;
  World world;
  for (World* one : {&other, &world}) {
    one->node("n", {.cpu = 0});
    one->gang("g", {.count = 1, .pod = {.cpu = 1}});
    one->cycle();
    one->node("n", {.cpu = 1});
  }
  other.cycle();
  ASSERT_EQ(other.gang_outcome("g").status, GangStatus::Scheduled);
  world.scheduler().adopt(std::make_shared<const CycleRecord>(other.record()));
  world.node("n", {.cpu = 0});
  world.cycle(1);
  EXPECT_EQ(world.gang_outcome("g").status, GangStatus::Pending);
}

}  // namespace
}  // namespace trellis::recorder_test
