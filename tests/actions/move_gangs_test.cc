#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "tests/support/queues.h"
#include "tests/support/world.h"

namespace trellis::move_gangs_test {
namespace {

// Two nodes of two GPUs, a pod of one GPU on each; a gang wants a whole node.
void make_half_full(World& world) {
  world.config.actions = {"consolidation"};
  for (const char* name : {"n1", "n2"}) {
    world.node(name, {.gpu = 2});
    world.gang(std::string("on-") + name, {.count = 1, .pod = {.gpu = 1, .node = name}});
  }
  world.gang("g", {.count = 1, .pod = {.gpu = 2}});
}

TEST(Consolidation, RestsWhereAnythingIsSpread) {
  World packs;
  make_half_full(packs);
  packs.cycle();
  EXPECT_EQ(packs.status_of("g-0"), PodStatus::Pipelined);
  for (Strategy PlacementStrategy::*spread : {&PlacementStrategy::gpu, &PlacementStrategy::cpu}) {
    World world;
    world.config.placement_strategy.*spread = Strategy::Spread;
    make_half_full(world);
    world.cycle();
    EXPECT_EQ(world.status_of("g-0"), PodStatus::Pending);
    EXPECT_TRUE(world.evictions().empty());
  }
}

// The victim was in the rack first, and would be served first; it must not go back there.
TEST(Consolidation, MovesAVictimOutOfTheRackThatIsNeeded) {
  World world;
  world.topology("t", {"rack", "node"});
  for (const char* name : {"a-0", "a-1", "b-0", "b-1"}) {
    world.node(name, {.gpu = 8, .labels = {{"rack", {name[0]}}, {"node", name}}});
  }
  for (const char* name : {"a-0", "b-0"}) {
    world.gang(std::string("on-") + name,
               {.count = 1, .pod = {.gpu = 8, .node = name}, .topology = "t", .required = "rack"});
  }
  world.gang("g",
             {.count = 2, .pod = {.gpu = 8}, .topology = "t", .required = "rack", .created = 1});
  world.cycle(10);
  EXPECT_EQ(world.status_of("g-0"), PodStatus::Pipelined);
  EXPECT_EQ(world.evictions().size(), 1U);
  world.pass_time();
  world.cycle(20);
  EXPECT_EQ(world.status_of("g-1"), PodStatus::Bound);
  EXPECT_TRUE(world.evictions().empty());
}

// No other gang takes the room that is kept for a gang, by whatever action.
TEST(Consolidation, LeavesReservedRoomAlone) {
  World world;
  world.config.limits.reserve_after_us = 30;
  world.node("n", {.cpu = 1});
  world.gang("first", {.count = 2, .created = 5});
  world.gang("later", {.count = 1, .created = 6});
  world.cycle(35);
  EXPECT_EQ(world.status_of("later-0"), PodStatus::Pending);
  EXPECT_EQ(world.code_of("later"), ReasonCode::ReservedForOther);
}

// Two halves on two devices: one moves over, and a device is free.
TEST(Consolidation, CountsWhatIsLeftOfSharedDevices) {
  World world;
  world.config.actions = {"consolidation"};
  world.node("n", {.gpu = 2});
  for (const char* device : {"0", "1"}) {
    world.gang(std::string("half-") + device,
               {.count = 1, .pod = {.share = {.milli = 500}, .node = "n", .gpu_groups = {device}}});
  }
  world.gang("g", {.count = 1, .pod = {.gpu = 1}});
  world.cycle();
  EXPECT_EQ(world.status_of("g-0"), PodStatus::Pipelined);
}

TEST(Preempt, WhatALargeGangDoesNotFindASmallOneMay) {
  World world;
  world.config.actions = {"preempt"};
  world.node("n", {.gpu = 2});
  world.gang("low", {.count = 1, .pod = {.gpu = 2, .node = "n"}, .priority = 10});
  world.gang("large", {.count = 3, .pod = {.gpu = 1}, .created = 1});
  world.gang("small", {.count = 1, .pod = {.gpu = 1}, .created = 2});
  world.cycle(10);
  EXPECT_EQ(world.status_of("large-0"), PodStatus::Pending);
  EXPECT_EQ(world.status_of("small-0"), PodStatus::Pipelined);
}

// Two nodes with a pod of low priority on each; one node is wanted.
TEST(Preempt, OfEqualVictimsTheLaterNameLeaves) {
  World world;
  world.config.actions = {"preempt"};
  for (const char* name : {"n1", "n2", "n3"}) world.node(name, {.gpu = 1});
  // The order in which they are known must not matter.
  for (const char* name : {"b", "c", "a"}) {
    std::string node = std::string("n") + static_cast<char>('1' + (name[0] - 'a'));
    world.gang(name, {.count = 1, .pod = {.gpu = 1, .node = node}, .priority = 10});
  }
  world.gang("g", {.count = 1, .pod = {.gpu = 1}});
  world.cycle();
  EXPECT_EQ(world.status_of("c-0"), PodStatus::Evicted);
  EXPECT_EQ(world.node_of("g-0"), "n3");
}

TEST(Preempt, ABudgetIsSpentByTheFirstGangThatUsesIt) {
  World world;
  world.config.actions = {"preempt"};
  for (const char* name : {"n1", "n2"}) {
    world.node(name, {.gpu = 1});
    world.gang(std::string("on-") + name,
               {.count = 1, .pod = {.gpu = 1, .node = name}, .priority = 10});
  }
  DisruptionBudget budget;
  budget.name_space = world.str("default");
  budget.name = "one-stays";
  budget.disruptions_allowed = 1;
  world.cluster.upsert(budget);
  for (const char* name : {"g", "h"}) world.gang(name, {.count = 1, .pod = {.gpu = 1}});
  world.cycle();
  EXPECT_EQ(world.status_of("g-0"), PodStatus::Pipelined);
  EXPECT_EQ(world.status_of("h-0"), PodStatus::Pending);
  EXPECT_EQ(world.evictions().size(), 1U);
}

// Queue a takes all that x holds; then x, which has nothing, goes before the others for what d must
// give.
TEST(Reclaim, AQueueThatLostItsPodsMovesUpInTheOrder) {
  World world;
  world.config.actions = {"reclaim"};
  world.node("n", {.gpu = 11});
  const std::pair<std::string, double> quotas[] = {{"a", 4}, {"b", 2}, {"c", 2},
                                                   {"d", 3}, {"x", 2}, {"y", 0}};
  for (const auto& [name, quota] : quotas) add_queue(world.cluster, name, {.gpu_quota = quota});
  auto gang = [&](const std::string& name, int32_t pods, const std::string& node) {
    return world.gang(name,
                      {.count = pods, .pod = {.gpu = 1, .node = node}, .queue = name.substr(0, 1)});
  };
  for (const char* name : {"b-runs", "c-runs", "d-0", "d-1", "d-2", "d-3"}) gang(name, 1, "n");
  gang("x-runs", 4, "n");
  make_non_preemptible(world.cluster, gang("y-runs", 1, "n"));
  gang("a-waits", 4, "");
  for (const char* name : {"b-waits", "c-waits", "x-waits", "y-waits"}) gang(name, 1, "");
  world.cycle();
  EXPECT_EQ(world.status_of("a-waits-0"), PodStatus::Pipelined);
  EXPECT_EQ(world.status_of("x-waits-0"), PodStatus::Pipelined);
  EXPECT_EQ(world.status_of("b-waits-0"), PodStatus::Pending);
  EXPECT_EQ(world.status_of("c-waits-0"), PodStatus::Pending);
}

// b holds its fair share of three, two of which a queue may ask back that has less than its quota.
TEST(Reclaim, AQuotaIsGivenByAQueueWithinItsFairShare) {
  World world;
  world.config.actions = {"reclaim"};
  world.node("n", {.gpu = 4});
  add_queue(world.cluster, "a", {.gpu_quota = 1, .gpu_weight = 0});
  add_queue(world.cluster, "b", {.gpu_quota = 1});
  add_queue(world.cluster, "c", {.gpu_quota = 0, .gpu_weight = 0});
  const PodArgs runs{.gpu = 1, .node = "n"};
  for (const char* name : {"b-0", "b-1", "b-2"}) {
    world.gang(name, {.count = 1, .pod = runs, .queue = "b"});
  }
  make_non_preemptible(world.cluster, world.gang("c-0", {.count = 1, .pod = runs, .queue = "c"}));
  world.gang("first", {.count = 1, .pod = {.gpu = 1}, .queue = "a"});
  world.gang("second", {.count = 1, .pod = {.gpu = 1}, .queue = "a"});
  world.cycle();
  EXPECT_EQ(world.status_of("first-0"), PodStatus::Pipelined);
  EXPECT_EQ(world.status_of("second-0"), PodStatus::Pending);
  EXPECT_EQ(world.evictions().size(), 1U);
}

}  // namespace
}  // namespace trellis::move_gangs_test
