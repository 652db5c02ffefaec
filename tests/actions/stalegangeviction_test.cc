#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "tests/support/world.h"

namespace trellis::stalegangeviction_test {
namespace {

constexpr TimeUs kNow = 1'000 * kSecondUs;

// A gang of `min` pods of which `runs` do.
struct StaleWorld : World {
  StaleWorld() { node("n", {.cpu = 4}); }

  void broken(const std::string& name, int32_t runs, TimeUs stale_since) {
    gang(name, {.min_member = 2, .count = runs, .pod = {.node = "n"}});
    cluster.set_gang_times(gang_id(name), kNoTime, stale_since);
  }
  void set_grace(const std::string& name, TimeUs grace) {
    Gang changed = cluster.gangs()[gang_id(name)];
    changed.staleness_grace_us = grace;
    cluster.upsert(std::move(changed));
  }
  bool leaves(const std::string& name) const {
    return status_of(name + "-0") == PodStatus::Evicted;
  }
};

TEST(StaleGangEviction, TheGraceIsCountedFromTheFirstSight) {
  StaleWorld world;
  world.broken("overdue", 1, kNow - 60 * kSecondUs);
  world.broken("fresh", 1, kNow - 60 * kSecondUs + 1);
  world.broken("unseen", 1, kNoTime);
  world.broken("whole", 2, kNow - 90 * kSecondUs);
  world.cycle(kNow);
  EXPECT_TRUE(world.leaves("overdue"));
  EXPECT_FALSE(world.leaves("fresh"));
  EXPECT_FALSE(world.leaves("unseen"));
  EXPECT_FALSE(world.leaves("whole"));
  EXPECT_EQ(world.code_of("overdue"), ReasonCode::StaleGang);
  ASSERT_EQ(world.evictions().size(), 1U);
  EXPECT_EQ(world.evictions()[0].action, "stalegangeviction");
  EXPECT_FALSE(world.evictions()[0].by.valid());
}

TEST(StaleGangEviction, TheGangsOwnGraceGoesBeforeTheConfigured) {
  StaleWorld world;
  for (const char* name : {"shorter", "longer", "never"}) world.broken(name, 1, kNow - kSecondUs);
  world.set_grace("shorter", kSecondUs);
  world.set_grace("longer", 2 * kSecondUs);
  world.set_grace("never", -1);
  world.config.limits.staleness_grace_period_us = 0;
  world.cycle(kNow);
  EXPECT_TRUE(world.leaves("shorter"));
  EXPECT_FALSE(world.leaves("longer"));
  EXPECT_FALSE(world.leaves("never"));
}

TEST(StaleGangEviction, NoneIsOverdueWithANegativeGrace) {
  StaleWorld world;
  world.broken("g", 1, 0);
  world.config.limits.staleness_grace_period_us = -kSecondUs;
  world.cycle(kNow);
  EXPECT_FALSE(world.leaves("g"));
}

TEST(StaleGangEviction, WhatHasBegunToFinishMayFinish) {
  StaleWorld world;
  world.gang("g", {.min_member = 3, .count = 1, .pod = {.node = "n"}});
  world.pod("done", "g", {.node = "n", .status = PodStatus::Succeeded});
  world.cluster.set_gang_times(world.gang_id("g"), kNoTime, 0);
  world.cycle(kNow);
  EXPECT_FALSE(world.leaves("g"));
}

TEST(StaleGangEviction, APodThatComesInTheSameCycleSavesTheGang) {
  StaleWorld world;
  world.broken("g", 1, 0);
  world.pod("late", "g", {});
  world.cycle(kNow);
  EXPECT_EQ(world.status_of("late"), PodStatus::Bound);
  EXPECT_FALSE(world.leaves("g"));
}

TEST(StaleGangEviction, AllPodsThatHoldANodeLeave) {
  StaleWorld world;
  world.gang("g", {.min_member = 9, .count = 2, .pod = {.node = "n"}});
  world.pod("bound", "g", {.node = "n", .status = PodStatus::Bound});
  world.pod("leaving", "g", {.node = "n", .status = PodStatus::Releasing});
  world.pod("waiting", "g", {.cpu = 100});
  world.cluster.set_gang_times(world.gang_id("g"), kNoTime, 0);
  world.cycle(kNow);
  for (const char* name : {"g-0", "g-1", "bound"}) {
    EXPECT_EQ(world.status_of(name), PodStatus::Evicted) << name;
  }
  EXPECT_EQ(world.status_of("leaving"), PodStatus::Releasing);
  EXPECT_EQ(world.status_of("waiting"), PodStatus::Pending);
}

TEST(StaleGangEviction, ASubgroupBelowItsMinimumIsEnough) {
  StaleWorld world;
  world.gang("g", {.min_member = 2, .subgroups = {{.name = "a"}, {.name = "b"}}});
  for (const char* name : {"a-0", "a-1"}) world.pod(name, "g", {.node = "n", .subgroup = "a"});
  world.cluster.set_gang_times(world.gang_id("g"), kNoTime, 0);
  world.cycle(kNow);
  EXPECT_EQ(world.status_of("a-0"), PodStatus::Evicted);
  EXPECT_EQ(world.status_of("a-1"), PodStatus::Evicted);
}

TEST(StaleGangEviction, PodsWhoseNodeIsGoneHoldNothing) {
  StaleWorld world;
  world.node("other", {});
  world.gang("g", {.min_member = 3, .count = 1, .pod = {.node = "n"}});
  world.pod("lost", "g", {.node = "other"});
  world.cluster.remove_node("other");
  world.cluster.set_gang_times(world.gang_id("g"), kNoTime, 0);
  world.cycle(kNow);
  EXPECT_TRUE(world.leaves("g"));
  EXPECT_EQ(world.status_of("lost"), PodStatus::Running);
  world.cluster.remove_node("n");
  world.cycle(kNow);
  EXPECT_FALSE(world.leaves("g"));
}

}  // namespace
}  // namespace trellis::stalegangeviction_test
