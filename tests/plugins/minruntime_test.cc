#include "plugins/minruntime/minruntime.h"

#include <gtest/gtest.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "tests/support/world.h"

namespace trellis::minruntime_test {
namespace {

constexpr TimeUs kMinute = 60 * kSecondUs;
constexpr TimeUs kStart = 100 * kMinute;

struct MinRuntimes {
  std::optional<TimeUs> preempt = {};
  std::optional<TimeUs> reclaim = {};
};

// a1 and a2 below a, b1 below b, both below root; a gang in each leaf, running since kStart.
struct QueuesWorld : World {
  QueuesWorld() {
    node("n", {});
    for (const char* name : {"root", "a", "b", "a1", "a2", "b1"}) queue(name, {});
    for (const char* name : {"a1", "a2", "b1"}) {
      gang(name, {.count = 1, .pod = {.node = "n"}, .queue = name});
      cluster.set_gang_times(gang_id(name), kStart, kNoTime);
    }
  }

  void queue(const std::string& name, const MinRuntimes& runtimes) {
    Queue queue;
    queue.name = name;
    queue.preempt_min_runtime_us = runtimes.preempt;
    queue.reclaim_min_runtime_us = runtimes.reclaim;
    if (name != "root") queue.parent = str(name.size() == 2 ? name.substr(0, 1) : "root");
    cluster.upsert(std::move(queue));
  }

  // After how many minutes the victim may be moved; -1: not within two hours.
  int protected_minutes(const std::string& victim, const std::string& by, MoveCause cause) {
    const VictimRule& rule = this->rule();
    for (int minutes = 0; minutes < 120; ++minutes) {
      ReasonCode code =
          rule.verdict(gang_id(victim), gang_id(by), cause, kStart + minutes * kMinute);
      if (code == ReasonCode::None) return minutes;
      EXPECT_EQ(code, ReasonCode::MinRuntime);
    }
    return -1;
  }
  int reclaimed(const std::string& victim, const std::string& by) {
    return protected_minutes(victim, by, MoveCause::Reclaim);
  }
  int preempted(const std::string& victim) {
    return protected_minutes(victim, victim, MoveCause::Preempt);
  }

 private:
  const VictimRule& rule() {
    for (const auto& registered : scheduler().open(0).hooks().victim_rules) {
      if (registered.plugin == "minruntime") return *registered.point;
    }
    throw std::runtime_error("no minruntime");
  }
};

TEST(MinRuntime, TheNearestAncestorThatSetsOneHolds) {
  QueuesWorld world;
  world.config.queues.default_preempt_min_runtime_us = 7 * kMinute;
  EXPECT_EQ(world.preempted("a1"), 7);
  world.queue("root", {.preempt = 30 * kMinute});
  EXPECT_EQ(world.preempted("a1"), 30);
  world.queue("a", {.preempt = 20 * kMinute});
  EXPECT_EQ(world.preempted("a1"), 20);
  EXPECT_EQ(world.preempted("b1"), 30);
  world.queue("a1", {.preempt = 0});
  EXPECT_EQ(world.preempted("a1"), 0);
  EXPECT_EQ(world.preempted("a2"), 20);
  EXPECT_EQ(world.reclaimed("a2", "b1"), 0);  // another word
}

TEST(MinRuntime, ReclaimAsksTheSiblingsBelowTheCommonAncestor) {
  QueuesWorld world;
  world.config.queues.default_reclaim_min_runtime_us = 5 * kMinute;
  world.queue("a1", {.reclaim = 10 * kMinute});
  world.queue("root", {.reclaim = 40 * kMinute});
  EXPECT_EQ(world.reclaimed("a1", "a2"), 10);  // siblings themselves
  EXPECT_EQ(world.reclaimed("a2", "a1"), 40);
  EXPECT_EQ(world.reclaimed("a1", "b1"), 40);  // a and b are: a1's word does not count
  world.queue("a", {.reclaim = 20 * kMinute});
  EXPECT_EQ(world.reclaimed("a1", "b1"), 20);
  EXPECT_EQ(world.reclaimed("b1", "a1"), 40);
}

TEST(MinRuntime, ReclaimByQueueAsksTheVictimsOwnAncestors) {
  QueuesWorld world;
  world.config.queues.reclaim_resolve_method = ReclaimResolve::Queue;
  world.config.queues.default_reclaim_min_runtime_us = 5 * kMinute;
  EXPECT_EQ(world.reclaimed("a1", "b1"), 5);
  world.queue("a", {.reclaim = 20 * kMinute});
  world.queue("a1", {.reclaim = 10 * kMinute});
  EXPECT_EQ(world.reclaimed("a1", "b1"), 10);
  EXPECT_EQ(world.reclaimed("a2", "b1"), 20);
}

TEST(MinRuntime, ConsolidationIsNotBound) {
  QueuesWorld world;
  world.queue("root", {.preempt = 30 * kMinute, .reclaim = 30 * kMinute});
  EXPECT_EQ(world.protected_minutes("a1", "b1", MoveCause::Consolidation), 0);
}

TEST(MinRuntime, DefragmentationHeedsTheLongerOfBoth) {
  QueuesWorld world;
  world.queue("root", {.preempt = 30 * kMinute, .reclaim = 20 * kMinute});
  world.queue("a2", {.reclaim = 40 * kMinute});
  EXPECT_EQ(world.protected_minutes("a1", "b1", MoveCause::Defragmentation), 30);
  EXPECT_EQ(world.protected_minutes("a2", "b1", MoveCause::Defragmentation), 40);
}

TEST(MinRuntime, WithoutAWrittenStartThatOfTheFirstPodCounts) {
  QueuesWorld world;
  world.queue("root", {.preempt = 30 * kMinute});
  world.cluster.set_gang_times(world.gang_id("a1"), kNoTime, kNoTime);
  EXPECT_EQ(world.preempted("a1"), 0);  // since when it runs is not known
  world.cluster.set_pod(world.pod_id("a1-0"), PodStatus::Running, world.node_id("n"),
                        kStart - 10 * kMinute);
  EXPECT_EQ(world.preempted("a1"), 20);
}

TEST(MinRuntime, GangsWithoutAQueueHaveTheDefaults) {
  World world;
  world.node("n", {});
  world.config.queues.default_preempt_min_runtime_us = kMinute;
  world.gang("g", {.count = 1, .pod = {.node = "n"}});
  world.cluster.set_gang_times(world.gang_id("g"), kStart, kNoTime);
  Session& session = world.scheduler().open(0);
  for (const auto& rule : session.hooks().victim_rules) {
    if (rule.plugin != "minruntime") continue;
    GangId gang = world.gang_id("g");
    EXPECT_EQ(rule.point->verdict(gang, GangId(), MoveCause::Preempt, kStart + kMinute - 1),
              ReasonCode::MinRuntime);
    EXPECT_EQ(rule.point->verdict(gang, GangId(), MoveCause::Reclaim, kStart), ReasonCode::None);
    return;
  }
  FAIL() << "no minruntime";
}

}  // namespace
}  // namespace trellis::minruntime_test
