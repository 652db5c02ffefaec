#include "actions/victims/disruption_limits.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>

#include "tests/support/world.h"

namespace trellis::disruption_limits_test {
namespace {

// A gang of three pods that run and one that waits, all in one budget.
struct BudgetWorld : World {
  BudgetWorld() {
    node("n", {.cpu = 3});
    gang("g", {.min_member = 0, .count = 3, .pod = {.node = "n"}});
    pod("waits", "g");
  }

  void budget(std::optional<PodQuantity> min_available, std::optional<PodQuantity> unavailable) {
    DisruptionBudget made;
    made.name_space = str("default");
    made.name = "b";
    made.min_available = min_available;
    made.max_unavailable = unavailable;
    cluster.upsert(std::move(made));
  }
  VictimUnit unit(size_t pods) {
    VictimUnit made{gang_id("g"), false, {}};
    for (size_t i = 0; i < pods; ++i) made.pods.push_back(pod_id("g-" + std::to_string(i)));
    return made;
  }
  // How many pods may leave together.
  size_t allowed(const DisruptionLimits& limits) {
    size_t pods = 0;
    while (pods < 3) {
      VictimUnit more = unit(pods + 1);
      if (!limits.allow({&more, 1})) break;
      ++pods;
    }
    return pods;
  }
  size_t allowed() { return allowed(DisruptionLimits(scheduler().open(0))); }
};

TEST(DisruptionLimits, OnlyPodsThatRunAreAvailable) {
  BudgetWorld world;
  EXPECT_EQ(world.allowed(), 3U);
  world.budget(PodQuantity{2, {}}, {});
  EXPECT_EQ(world.allowed(), 1U);
  world.budget({}, PodQuantity{2, {}});  // the one that waits is unavailable already
  EXPECT_EQ(world.allowed(), 1U);
}

TEST(DisruptionLimits, PercentagesAreRoundedUp) {
  BudgetWorld world;
  world.budget(PodQuantity{0, 26}, {});  // 1.04 of four pods
  EXPECT_EQ(world.allowed(), 1U);
  world.budget({}, PodQuantity{0, 26});  // two, and one is unavailable already
  EXPECT_EQ(world.allowed(), 1U);
}

TEST(DisruptionLimits, WhatWasAllowedIsSpent) {
  BudgetWorld world;
  world.budget(PodQuantity{1, {}}, {});
  DisruptionLimits limits(world.scheduler().open(0));
  EXPECT_EQ(world.allowed(limits), 2U);
  VictimUnit one = world.unit(1);
  limits.spend({&one, 1});
  EXPECT_EQ(world.allowed(limits), 1U);
}

}  // namespace
}  // namespace trellis::disruption_limits_test
