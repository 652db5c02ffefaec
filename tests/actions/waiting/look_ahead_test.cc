#include "actions/waiting/look_ahead.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/queues.h"
#include "tests/support/world.h"

namespace trellis::look_ahead_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Gangs whose pods take whole nodes, in the order in which they are added.
class LookAheadTest : public ::testing::Test {
 protected:
  LookAheadTest() { world.config.actions = {"allocate"}; }

  void add_nodes(int count) {
    for (int i = 0; i < count; ++i) world.node("n" + std::to_string(i), {.gpu = 8});
  }
  void add_racks(const std::vector<int>& racks) {
    world.topology("t", {"rack"});
    for (size_t rack = 0; rack < racks.size(); ++rack) {
      for (int i = 0; i < racks[rack]; ++i) {
        std::string name = "r" + std::to_string(rack);
        world.node(name + "-" + std::to_string(i), {.gpu = 8, .labels = {{"rack", name}}});
      }
    }
  }
  void add(const std::string& name, int count, GangArgs args = {}) {
    args.count = count;
    args.pod.gpu = 8;
    args.created = kSecondUs * ++added;
    world.gang(name, args);
    names.push_back(name);
  }
  std::vector<std::string> placed() const {
    std::vector<std::string> placed;
    for (const std::string& name : names) {
      if (world.status_of(name + "-0") == PodStatus::Bound) placed.push_back(name);
    }
    return placed;
  }
  std::vector<ReasonCode> codes(const std::string& gang) const {
    std::vector<ReasonCode> codes;
    for (const Reason& reason : world.gang_outcome(gang).reasons) codes.push_back(reason.code);
    return codes;
  }

  World world;
  int64_t added = 0;
  std::vector<std::string> names;
};

TEST_F(LookAheadTest, PlacesWhatUsesMore) {
  add_nodes(4);
  add("a", 1);
  add("b", 2);
  add("c", 3);
  world.cycle(kSecondUs);
  EXPECT_THAT(placed(), ElementsAre("a", "c"));
  EXPECT_THAT(codes("b"), ElementsAre(ReasonCode::NodesNoFit, ReasonCode::PassedOver));
  EXPECT_EQ(world.gang_outcome("b").reasons.at(1).subject, "default/c");
  EXPECT_THAT(codes("c"), IsEmpty());
}

TEST_F(LookAheadTest, OffTheOrderStands) {
  world.config.limits.look_ahead = 0;
  add_nodes(4);
  add("a", 1);
  add("b", 2);
  add("c", 3);
  world.cycle(kSecondUs);
  EXPECT_THAT(placed(), ElementsAre("a", "b"));
  EXPECT_THAT(codes("c"), ElementsAre(ReasonCode::NodesNoFit));
}

// So that no gang is passed for ever.
TEST_F(LookAheadTest, TheHeadKeepsAPlace) {
  add_nodes(4);
  add("too-big", 5);
  add("a", 1);
  add("b", 4);
  world.cycle(kSecondUs);
  EXPECT_THAT(placed(), ElementsAre("a"));
  EXPECT_THAT(codes("b"), ElementsAre(ReasonCode::NodesNoFit));
}

// The head moves aside: it may be placed anywhere, b in one rack only.
TEST_F(LookAheadTest, TheHeadGetsAnotherPlace) {
  add_racks({3, 4});
  add("a", 2, {.topology = "t", .preferred = "rack"});
  add("b", 3, {.topology = "t", .required = "rack"});
  add("c", 2, {.topology = "t", .required = "rack"});
  world.cycle(kSecondUs);
  EXPECT_THAT(placed(), ElementsAre("a", "b", "c"));
  EXPECT_EQ(world.node_of("b-0").substr(0, 2), "r0");
}

TEST_F(LookAheadTest, PrioritiesStand) {
  add_nodes(4);
  add("a", 1);
  add("b", 2);
  add("c", 3, {.priority = 40});
  world.cycle(kSecondUs);
  EXPECT_THAT(placed(), ElementsAre("a", "b"));
}

TEST_F(LookAheadTest, OnlySoManyGangsAreChosenFrom) {
  world.config.limits.look_ahead = 2;
  add_nodes(4);
  add("a", 1);
  add("b", 2);
  add("c", 3);
  world.cycle(kSecondUs);
  EXPECT_THAT(placed(), ElementsAre("a", "b"));
}

TEST_F(LookAheadTest, AGangThatHasWaitedLongIsNotPassed) {
  world.config.limits.reserve_after_us = 10 * kSecondUs;
  add_nodes(4);
  add("a", 1);
  add("b", 2);
  add("c", 3);
  world.cycle(13 * kSecondUs);
  EXPECT_THAT(placed(), ElementsAre("a", "b"));
}

// Between a and b the other queue has the turn; then b is the first that has a place.
TEST_F(LookAheadTest, OtherQueuesKeepTheirTurn) {
  add_queue(world.cluster, "x", {.gpu_quota = 16});
  add_queue(world.cluster, "y", {.gpu_quota = 16});
  add_nodes(4);
  add("a", 1, {.queue = "x"});
  add("other", 1, {.queue = "y"});
  add("b", 1, {.queue = "x"});
  add("c", 2, {.queue = "x"});
  world.cycle(kSecondUs);
  EXPECT_THAT(placed(), ElementsAre("a", "other", "b"));
}

// One of b and d waits either way: c has one rack if it comes before both.
TEST_F(LookAheadTest, SpansFewerDomains) {
  add_racks({3, 4});
  for (const char* name : {"a", "b"}) add(name, 2, {.topology = "t", .preferred = "rack"});
  add("c", 3, {.topology = "t", .preferred = "rack"});
  add("d", 2);
  world.cycle(kSecondUs);
  EXPECT_THAT(placed(), ElementsAre("a", "b", "c"));
  for (const char* pod : {"c-0", "c-1", "c-2"}) EXPECT_EQ(world.node_of(pod).substr(0, 2), "r0");
}

// A place now is better than two that are promised.
TEST_F(LookAheadTest, PlacesNowCountFirst) {
  add_nodes(4);
  for (const char* node : {"n2", "n3"}) {
    world.pod(std::string("leaves-") + node, "old",
              {.gpu = 8, .node = node, .status = PodStatus::Releasing});
  }
  add("a", 1);
  add("b", 1);
  add("c", 3);
  world.cycle(kSecondUs);
  EXPECT_EQ(world.status_of("a-0"), PodStatus::Bound);
  EXPECT_EQ(world.status_of("b-0"), PodStatus::Bound);
  EXPECT_EQ(world.status_of("c-0"), PodStatus::Pending);
}

// Pods above a minimum follow once the gangs below theirs were served.
TEST_F(LookAheadTest, PodsAboveTheMinimumFollow) {
  add_nodes(5);
  add("a", 3, {.min_member = 1});
  add("b", 2);
  add("c", 3);
  world.cycle(kSecondUs);
  EXPECT_THAT(placed(), ElementsAre("a", "c"));
  EXPECT_EQ(world.status_of("a-1"), PodStatus::Bound);
  EXPECT_EQ(world.status_of("a-2"), PodStatus::Pending);
}

}  // namespace
}  // namespace trellis::look_ahead_test
