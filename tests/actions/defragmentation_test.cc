// The action defragmentation: which gangs it moves, and when it moves none.

#include <gtest/gtest.h>

#include <string>

#include "actions/defragmentation/move_plan.h"
#include "framework/moved_gpus.h"
#include "tests/support/queues.h"
#include "tests/support/world.h"

namespace trellis::defragmentation_test {
namespace {

constexpr TimeUs kHourOfDay = 3600 * kSecondUs;

void set_movable(World& world, const std::string& gang, bool movable = true) {
  Gang copy = world.cluster.gangs()[world.gang_id(gang)];
  copy.movable = movable;
  world.cluster.upsert(std::move(copy));
}

// Two nodes of 4 GPUs, a pod of 1 GPU on each, and pods that request whole nodes.
World& half_empty(World& world) {
  world.config.actions = {"allocate", "defragmentation"};
  world.config.defragmentation.enabled = true;
  world.topology("t", {"rack", "node"});
  for (const char* name : {"n1", "n2"}) {
    world.node(name, {.gpu = 4, .labels = {{"rack", "r1"}, {"node", name}}});
    std::string gang = std::string("on-") + name;
    world.gang(gang, {.count = 1, .pod = {.gpu = 1, .node = name}});
  }
  world.gang("large", {.count = 2, .pod = {.gpu = 4}});
  return world;
}

TEST(Defragmentation, MovesAPodSoThatALargerGangFits) {
  World world;
  half_empty(world);
  set_movable(world, "on-n1");
  world.cycle();
  EXPECT_EQ(world.status_of("on-n1-0"), PodStatus::Pipelined);
  EXPECT_EQ(world.node_of("on-n1-0"), "n2");
  EXPECT_EQ(world.code_of("on-n1"), ReasonCode::MovedForRoom);
  ASSERT_EQ(world.evictions().size(), 1U);
  EXPECT_EQ(world.evictions()[0].action, "defragmentation");
}

TEST(Defragmentation, DoesNothingUnlessItIsEnabled) {
  World world;
  half_empty(world);
  set_movable(world, "on-n1");
  world.config.defragmentation.enabled = false;
  world.cycle();
  EXPECT_TRUE(world.evictions().empty());
}

TEST(Defragmentation, MovesNothingBack) {
  World world;
  half_empty(world);
  set_movable(world, "on-n1");
  set_movable(world, "on-n2");
  // Nothing waits, so that the room stays.
  for (const char* pod : {"large-0", "large-1"}) world.remove_pod(pod);
  world.gang("whole", {.count = 1, .pod = {.gpu = 4, .node = "n3"}});
  world.node("n3", {.gpu = 4, .labels = {{"rack", "r2"}, {"node", "n3"}}});
  world.cycle();
  EXPECT_EQ(world.evictions().size(), 1U);
  for (int i = 1; i < 5; ++i) {
    world.pass_time();
    world.cycle(i * kSecondUs);
    EXPECT_TRUE(world.evictions().empty()) << i;
  }
}

TEST(Defragmentation, MovesOnlyWhatSaysSoOrWhoseQueueDoes) {
  for (int asked = 0; asked < 4; ++asked) {
    World world;
    half_empty(world);
    add_queue(world.cluster, "d");
    add_queue(world.cluster, "q", {.parent = "d"});
    for (const char* name : {"on-n1", "on-n2", "large"}) {
      Gang copy = world.cluster.gangs()[world.gang_id(name)];
      copy.queue = world.str("q");
      world.cluster.upsert(std::move(copy));
    }
    Queue parent = world.cluster.queues()[world.cluster.find_queue("d")];
    parent.movable = asked > 0;
    world.cluster.upsert(parent);
    if (asked == 2) set_movable(world, "on-n1", false);
    if (asked == 3) {
      set_movable(world, "on-n1", false);
      set_movable(world, "on-n2", false);
    }
    world.cycle();
    bool moves = asked == 1 || asked == 2;
    EXPECT_EQ(world.evictions().size(), moves ? 1U : 0U) << asked;
    if (asked == 2) {
      EXPECT_EQ(world.node_of("on-n2-0"), "n1");
    }
  }
}

TEST(Defragmentation, HeedsMinimumRunTimes) {
  World world;
  half_empty(world);
  set_movable(world, "on-n1");
  world.config.queues.default_reclaim_min_runtime_us = 100;
  Pod pod = world.cluster.pods()[world.pod_id("on-n1-0")].pod;
  pod.started = 0;
  world.cluster.upsert(pod, world.cluster.pod_classes()[world.class_of("on-n1-0")]);
  world.cycle(50);
  EXPECT_TRUE(world.evictions().empty());
  EXPECT_EQ(world.record().next_change, 100);
  world.cycle(100);
  EXPECT_EQ(world.evictions().size(), 1U);
}

TEST(Defragmentation, HeedsDisruptionBudgetsOverAllMoves) {
  for (int64_t allowed : {0, 1}) {
    World world;
    half_empty(world);
    set_movable(world, "on-n1");
    DisruptionBudget budget;
    budget.name_space = world.str("default");
    budget.name = "b";
    budget.disruptions_allowed = allowed;
    world.cluster.upsert(budget);
    world.cycle();
    EXPECT_EQ(static_cast<int64_t>(world.evictions().size()), allowed);
  }
}

TEST(Defragmentation, KeepsToItsWindow) {
  World world;
  half_empty(world);
  set_movable(world, "on-n1");
  world.config.defragmentation.window = {22 * 60, 6 * 60};
  world.cycle(12 * kHourOfDay);
  EXPECT_TRUE(world.evictions().empty());
  EXPECT_EQ(world.record().next_change, 22 * kHourOfDay);
  world.cycle(22 * kHourOfDay);
  EXPECT_EQ(world.evictions().size(), 1U);
}

TEST(Defragmentation, KeepsToTheBudgetOfAnHour) {
  World world;
  half_empty(world);
  set_movable(world, "on-n1");
  world.config.defragmentation.max_moved_gpus_per_hour = 2;
  world.cluster.set_moved_gpus({.since = 0, .gpu_milli = 1500});
  world.cycle(10);
  EXPECT_TRUE(world.evictions().empty());
  EXPECT_EQ(world.record().next_change, kHourUs);
  world.cycle(kHourUs);
  EXPECT_EQ(world.evictions().size(), 1U);
}

TEST(Defragmentation, WantsEnoughGainForWhatMoves) {
  for (double least : {1.0, 100.0}) {
    World world;
    half_empty(world);
    set_movable(world, "on-n1");
    world.config.defragmentation.min_gain = least;
    world.cycle();
    EXPECT_EQ(world.evictions().size(), least < 2 ? 1U : 0U);
  }
}

TEST(Defragmentation, WaitsWhileOthersMove) {
  World world;
  half_empty(world);
  world.config.actions = {"allocate", "consolidation", "defragmentation"};
  set_movable(world, "on-n1");
  world.gang("one", {.count = 1, .pod = {.gpu = 4}});
  world.cycle();
  ASSERT_FALSE(world.evictions().empty());
  for (const Decision& eviction : world.evictions()) EXPECT_EQ(eviction.action, "consolidation");
}

// Neither alone makes a node whole.
TEST(Defragmentation, MovesTwoGangsTogether) {
  World world;
  world.config.actions = {"defragmentation"};
  world.config.defragmentation.enabled = true;
  world.topology("t", {"node"});
  for (const char* name : {"n1", "n2", "n3"}) {
    world.node(name, {.gpu = 8, .labels = {{"node", name}}});
  }
  for (const char* name : {"a", "b"}) {
    world.gang(name, {.count = 1, .pod = {.gpu = 1, .node = "n1"}});
    set_movable(world, name);
  }
  for (const char* name : {"n2", "n3"}) {
    world.gang(std::string("x") + name, {.count = 5, .pod = {.gpu = 1, .node = name}});
  }
  world.gang("large", {.count = 40, .pod = {.gpu = 8}});
  world.cycle();
  EXPECT_EQ(world.evictions().size(), 2U);
  EXPECT_NE(world.node_of("a-0"), "n1");
  EXPECT_NE(world.node_of("b-0"), "n1");
}

// What is planned is in the statement, and is worth what the plan says.
TEST(MovePlan, IsInTheStatement) {
  World world;
  half_empty(world);
  set_movable(world, "on-n1");
  Session& session = world.scheduler().open(0);
  MovePlan plan = plan_moves(session, {.moved_milli = 8000, .min_gain = 0.5});
  ASSERT_EQ(plan.sets.size(), 1U);
  EXPECT_EQ(plan.moved_milli(), 1000);
  EXPECT_FALSE(plan.cut);
  ASSERT_EQ(plan.before.levels.size(), 2U);
  EXPECT_EQ(plan.before.levels[0].gpu_milli, 6000);
  EXPECT_EQ(plan.after.levels[1].gpu_milli, 4000);
  EXPECT_GT(plan.before.fragmentation(), plan.after.fragmentation());
  EXPECT_FALSE(session.statement().clean());
  ASSERT_EQ(plan.movable.others.size(), 1U);
  EXPECT_EQ(plan.movable.others[0].code, ReasonCode::NotMovable);
  session.statement().rollback();
}

TEST(RoomGauge, FollowsChangesAsIfItWereNew) {
  World world;
  half_empty(world);
  Session& session = world.scheduler().open(0);
  RoomGauge gauge(session);
  RoomGauge later(session);  // reads nothing yet
  int64_t before = gauge.worth();
  Statement::Checkpoint start = session.statement().checkpoint();
  session.statement().evict(world.pod_id("on-n1-0"), GangId());
  int64_t without = gauge.worth();
  EXPECT_EQ(without, later.worth());
  EXPECT_GT(without, before);
  session.statement().rollback(start);
  EXPECT_EQ(gauge.worth(), before);
}

TEST(LargestOf, FindsTheFirstOfTheLargest) {
  LargestOf values(5);
  for (size_t i = 0; i < 5; ++i) values.set(i, static_cast<int64_t>(i % 3));
  EXPECT_EQ(values.largest(), 2);
  EXPECT_EQ(values.index(), 2U);
  values.set(4, 7);
  EXPECT_EQ(values.index(), 4U);
  values.set(4, 0);
  EXPECT_EQ(values.largest(), 2);
  EXPECT_EQ(LargestOf(1).largest(), 0);
}

}  // namespace
}  // namespace trellis::defragmentation_test
