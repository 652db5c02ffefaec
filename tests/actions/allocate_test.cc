#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "tests/support/world.h"

namespace trellis::allocate_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::vector<std::string> placed(const World& world) {
  std::vector<std::string> names;
  for (PodId pod : world.cluster.pods_by_name()) {
    const PodOutcome& outcome = world.record().pods[pod];
    if (outcome.action == "allocate") names.push_back(world.cluster.pods()[pod].pod.name);
  }
  return names;
}

TEST(Allocate, AllOrNothing) {
  World world;
  world.node("n", {.cpu = 8});
  world.gang("big", {.count = 9});
  world.gang("small", {.count = 8, .created = 1});
  world.cycle();
  EXPECT_THAT(placed(world), SizeIs(8));
  EXPECT_EQ(world.status_of("big-0"), PodStatus::Pending);
  EXPECT_EQ(world.gang_outcome("big").status, GangStatus::Pending);
  EXPECT_EQ(world.gang_outcome("small").status, GangStatus::Scheduled);
  EXPECT_THAT(world.gang_outcome("small").reasons, IsEmpty());
  const Reason& reason = world.gang_outcome("big").reasons.at(0);
  EXPECT_EQ(reason.code, ReasonCode::NodesNoFit);
  EXPECT_EQ(reason.needed, 9);
  EXPECT_EQ(reason.found, 0);  // counted when the cluster is as full as it gets
}

TEST(Allocate, OrderIsPriorityThenAgeThenName) {
  World world;
  world.node("n", {.cpu = 2});
  world.gang("b", {.count = 1, .created = 1});
  world.gang("a", {.count = 1, .created = 1});
  world.gang("older", {.count = 1, .created = 0});
  world.cycle();
  EXPECT_THAT(placed(world), ElementsAre("a-0", "older-0"));

  World urgent;
  urgent.node("n", {.cpu = 1});
  urgent.gang("a", {.count = 1, .created = 0});
  urgent.gang("z", {.count = 1, .priority = 100, .created = 9});
  urgent.cycle();
  EXPECT_THAT(placed(urgent), ElementsAre("z-0"));
}

TEST(Allocate, MinimumFirstThenOneByOneInTurn) {
  World world;
  world.node("n", {.cpu = 6});
  world.gang("a", {.min_member = 1, .count = 5});
  world.gang("b", {.min_member = 2, .count = 3, .created = 1});
  world.cycle();
  // 1 + 2 for the minima; then a pod for each that has no more than it; then the older gang.
  EXPECT_THAT(placed(world), ElementsAre("a-0", "a-1", "a-2", "b-0", "b-1", "b-2"));
  EXPECT_EQ(world.gang_outcome("a").reasons.at(0).needed, 1);
  EXPECT_EQ(world.gang_outcome("a").status, GangStatus::Scheduled);
}

TEST(Allocate, GrowsInTheOrderOfPods) {
  World world;
  world.node("n", {.cpu = 8});
  world.gang("g", {.min_member = 1});
  world.pod("g-0", "g", {.cpu = 1});
  world.pod("g-1", "g", {.cpu = 2});
  world.pod("g-2", "g", {.cpu = 1});
  world.pod("g-3", "g", {.cpu = 1});
  world.pod("g-4", "g", {.cpu = 2});
  world.pod("g-5", "g", {.cpu = 2});
  world.cycle();
  // 1 + 2 + 1 + 1 + 2 = 7; the last has no room.
  EXPECT_THAT(placed(world), ElementsAre("g-0", "g-1", "g-2", "g-3", "g-4"));
}

TEST(Allocate, ASmallerPodGrowsWhereALargerDoesNotFit) {
  World world;
  world.node("n", {.cpu = 4});
  world.gang("g", {.min_member = 1});
  world.pod("g-0", "g", {.cpu = 2});
  world.pod("g-1", "g", {.cpu = 3});
  world.pod("g-2", "g", {.cpu = 1});
  world.cycle();
  EXPECT_THAT(placed(world), ElementsAre("g-0", "g-2"));
}

TEST(Allocate, RefillsAGangThatLostAPod) {
  World world;
  world.topology("t", {"rack"});
  world.node("r1", {.cpu = 2, .labels = {{"rack", "r1"}}});
  world.node("r2", {.cpu = 8, .labels = {{"rack", "r2"}}});
  world.gang("g", {.min_member = 2, .topology = "t", .required = "rack"});
  world.pod("g-0", "g", {.node = "r1"});
  world.pod("g-1", "g");
  world.cycle();
  EXPECT_EQ(world.node_of("g-1"), "r1");
  EXPECT_EQ(world.gang_outcome("g").status, GangStatus::Scheduled);
}

TEST(Allocate, SuccessCountsForTheMinimum) {
  World world;
  world.node("n", {.cpu = 1});
  world.gang("g", {.min_member = 2});
  world.pod("g-0", "g", {.node = "n", .status = PodStatus::Succeeded});
  world.pod("g-1", "g");
  world.cycle();
  EXPECT_EQ(world.node_of("g-1"), "n");
}

TEST(Allocate, FinishedAndFailedPodsHoldNothing) {
  World world;
  world.node("n", {.cpu = 1});
  world.gang("old", {.min_member = 1});
  world.pod("old-0", "old", {.node = "n", .status = PodStatus::Failed});
  world.pod("old-1", "old", {.node = "n", .status = PodStatus::Succeeded});
  world.gang("g", {.count = 1});
  world.cycle();
  EXPECT_EQ(world.node_of("g-0"), "n");
}

TEST(Allocate, GatedPodsStayOut) {
  World world;
  world.node("n");
  world.gang("gated", {.min_member = 2});
  world.pod("gated-0", "gated");
  world.pod("gated-1", "gated", {.hold = PodHold::SchedulingGates});
  world.gang("elastic", {.min_member = 1});
  world.pod("elastic-0", "elastic");
  world.pod("elastic-1", "elastic", {.hold = PodHold::SchedulingGates});
  world.gang("other", {.min_member = 1});
  world.pod("other-0", "other", {.hold = PodHold::OtherScheduler});
  world.cycle();
  EXPECT_THAT(placed(world), ElementsAre("elastic-0"));
  EXPECT_EQ(world.code_of("gated"), ReasonCode::SchedulingGated);
  EXPECT_EQ(world.gang_outcome("gated").reasons[0].needed, 2);
  EXPECT_EQ(world.gang_outcome("gated").reasons[0].found, 1);
  EXPECT_EQ(world.code_of("other"), ReasonCode::OtherScheduler);
}

TEST(Allocate, TooFewPods) {
  World world;
  world.node("n");
  world.gang("g", {.min_member = 3, .count = 2});
  world.gang("empty", {.min_member = 1});
  world.cycle();
  EXPECT_THAT(placed(world), IsEmpty());
  EXPECT_EQ(world.code_of("g"), ReasonCode::NotEnoughPods);
  EXPECT_EQ(world.gang_outcome("g").reasons[0].found, 2);
  EXPECT_EQ(world.code_of("empty"), ReasonCode::NotEnoughPods);
}

TEST(Allocate, WaitsForPodsThatLeave) {
  World world;
  world.node("n", {.cpu = 4});
  world.gang("old", {.min_member = 1});
  world.pod("old-0", "old", {.cpu = 3, .node = "n", .status = PodStatus::Releasing});
  world.gang("now", {.count = 1});
  world.gang("g", {.count = 3, .created = 1});
  world.gang("late", {.count = 1, .created = 2});
  world.cycle();
  EXPECT_EQ(world.status_of("now-0"), PodStatus::Bound);
  EXPECT_EQ(world.status_of("g-0"), PodStatus::Pipelined);
  EXPECT_EQ(world.node_of("g-2"), "n");
  EXPECT_EQ(world.gang_outcome("g").status, GangStatus::Pipelined);
  EXPECT_EQ(world.status_of("late-0"), PodStatus::Pending);
  EXPECT_EQ(world.status_of("old-0"), PodStatus::Releasing);
  EXPECT_EQ(world.node_of("old-0"), "n");
}

// A promise takes what leaves first; only the rest of it is taken from what is free.
TEST(Allocate, APromiseLeavesFreeWhatItDoesNotNeed) {
  World world;
  world.node("n", {.cpu = 6});
  world.gang("old", {.min_member = 1});
  world.pod("old-0", "old", {.cpu = 3, .node = "n", .status = PodStatus::Releasing});
  world.gang("g", {.count = 1, .pod = {.cpu = 4}});
  world.gang("late", {.count = 3, .created = 1});
  world.cycle();
  EXPECT_EQ(world.status_of("g-0"), PodStatus::Pipelined);
  EXPECT_EQ(world.status_of("late-0"), PodStatus::Pending);
  World fits;
  fits.node("n", {.cpu = 6});
  fits.gang("old", {.min_member = 1});
  fits.pod("old-0", "old", {.cpu = 3, .node = "n", .status = PodStatus::Releasing});
  fits.gang("g", {.count = 1, .pod = {.cpu = 4}});
  fits.gang("late", {.count = 2, .created = 1});
  fits.cycle();
  EXPECT_EQ(fits.status_of("late-0"), PodStatus::Bound);
}

TEST(Allocate, AGreedyAnswerNeedsNoBudget) {
  World world;
  world.config.limits.search_budget = 3;
  for (int i = 0; i < 6; ++i) world.node("n" + std::to_string(i), {.cpu = 5});
  world.gang("g", {.min_member = 12});
  for (int i = 0; i < 6; ++i) world.pod("g-a" + std::to_string(i), "g", {.cpu = 3});
  for (int i = 0; i < 6; ++i) world.pod("g-b" + std::to_string(i), "g", {.cpu = 2});
  world.pod("g-c", "g", {.cpu = 1});
  world.gang("h", {.min_member = 5, .created = 1});
  for (int i = 0; i < 3; ++i) world.pod("h-a" + std::to_string(i), "h", {.cpu = 4});
  for (int i = 0; i < 3; ++i) world.pod("h-b" + std::to_string(i), "h", {.cpu = 3});
  world.cycle();
  EXPECT_THAT(placed(world), SizeIs(12));
}

TEST(Allocate, NeverClaimsAProofThatItDoesNotHave) {
  World world;
  world.config.limits.search_budget = 5;
  for (int i = 0; i < 4; ++i) world.node("n" + std::to_string(i), {.cpu = 6});
  world.gang("g", {.min_member = 8});
  for (int i = 0; i < 4; ++i) world.pod("g-a" + std::to_string(i), "g", {.cpu = 4});
  for (int i = 0; i < 4; ++i) world.pod("g-b" + std::to_string(i), "g", {.cpu = 3});
  world.cycle();
  EXPECT_THAT(placed(world), IsEmpty());
  EXPECT_EQ(world.code_of("g"), ReasonCode::SearchBudgetExhausted);

  World patient;
  for (int i = 0; i < 4; ++i) patient.node("n" + std::to_string(i), {.cpu = 6});
  patient.gang("g", {.min_member = 8});
  for (int i = 0; i < 4; ++i) patient.pod("g-a" + std::to_string(i), "g", {.cpu = 4});
  for (int i = 0; i < 4; ++i) patient.pod("g-b" + std::to_string(i), "g", {.cpu = 3});
  patient.cycle();
  EXPECT_EQ(patient.code_of("g"), ReasonCode::NodesNoFit);
}

// 30 each of three sizes, any 30 of them will do: far more ways to choose than are looked at.
TEST(Allocate, ManyWaysToChooseTheMinimum) {
  World world;
  for (int i = 0; i < 30; ++i) world.node("n" + std::to_string(i), {.cpu = 2});
  world.gang("g", {.min_member = 30});
  for (int i = 0; i < 30; ++i) {
    world.pod("g-a" + std::to_string(i), "g", {.cpu = 3});
    world.pod("g-b" + std::to_string(i), "g", {.cpu = 4});
    world.pod("g-c" + std::to_string(i), "g", {.cpu = 1});
  }
  world.cycle();
  if (placed(world).empty()) {
    EXPECT_EQ(world.code_of("g"), ReasonCode::SearchBudgetExhausted);
  } else {
    EXPECT_THAT(placed(world), SizeIs(30));
  }
}

TEST(Allocate, BrokenGangsWaitWithTheirError) {
  World world;
  world.topology("t", {"example.com/block", "example.com/rack"});
  world.node("n", {.labels = {{"example.com/block", "b"}, {"example.com/rack", "r"}}});
  world.gang("no-name", {.count = 1, .required = "rack"});
  world.gang("no-topology", {.count = 1, .topology = "x", .required = "rack"});
  world.gang("no-level", {.count = 1, .topology = "t", .required = "shelf"});
  world.gang("coarser", {.count = 1, .topology = "t", .required = "rack", .preferred = "block"});
  world.gang("good", {.count = 1, .topology = "t", .required = "block", .preferred = "rack"});
  world.gang("same", {.count = 1, .topology = "t", .required = "rack", .preferred = "rack"});
  world.cycle();
  EXPECT_EQ(world.code_of("no-name"), ReasonCode::TopologyNotNamed);
  EXPECT_EQ(world.code_of("no-topology"), ReasonCode::TopologyNotFound);
  EXPECT_EQ(world.code_of("no-level"), ReasonCode::LevelUnknown);
  EXPECT_EQ(world.gang_outcome("no-level").reasons[0].subject, "shelf");
  EXPECT_EQ(world.code_of("coarser"), ReasonCode::LevelOrder);
  EXPECT_THAT(placed(world), ElementsAre("good-0", "same-0"));
}

TEST(Allocate, MastersAndUrgentPodsFirst) {
  World world;
  world.node("n", {.cpu = 3});
  world.gang("g", {.min_member = 1});
  world.pod("g-a", "g");
  world.pod("g-b", "g", {.order_priority = 5});
  world.pod("g-c", "g", {.leader = true});
  world.pod("g-d", "g", {.order_priority = 7});
  world.cycle();
  EXPECT_THAT(placed(world), ElementsAre("g-b", "g-c", "g-d"));
}

TEST(Allocate, CompletionIndexThenNaturalOrderOfNames) {
  World world;
  world.node("n", {.cpu = 3});
  world.gang("g", {.min_member = 1});
  for (const char* name : {"w-10", "w-9", "w-2", "w-1"}) world.pod(name, "g");
  world.cycle();
  EXPECT_THAT(placed(world), ElementsAre("w-1", "w-2", "w-9"));
}

TEST(Allocate, PodsOfAnAbsentNodeHoldNothingElsewhere) {
  World world;
  world.node("n", {.cpu = 1});
  world.gang("lost", {.min_member = 1});
  world.pod("lost-0", "lost", {.node = "gone"});
  world.gang("g", {.count = 1});
  world.cycle();
  EXPECT_EQ(world.node_of("g-0"), "n");
  EXPECT_EQ(world.status_of("lost-0"), PodStatus::Running);
  EXPECT_EQ(world.node_of("lost-0"), "");
}

// Either rack takes subgroup a; only the first has the zone that b must be in.
TEST(Allocate, SubgroupsBoundByTwoTopologiesMakeRoomForEachOther) {
  World world;
  world.topology("t", {"rack"});
  world.topology("u", {"zone"});
  world.node("n1", {.cpu = 2, .labels = {{"rack", "r1"}, {"zone", "z"}}});
  world.node("n2", {.cpu = 2, .labels = {{"rack", "r2"}}});
  world.gang("g",
             {.min_member = 4,
              .subgroups = {{.name = "a", .min_member = 2, .topology = "t", .required = "rack"},
                            {.name = "b", .min_member = 2, .topology = "u", .required = "zone"}}});
  for (const char* name : {"a0", "a1"}) world.pod(name, "g", {.subgroup = "a"});
  for (const char* name : {"b0", "b1"}) world.pod(name, "g", {.subgroup = "b"});
  world.cycle();
  EXPECT_EQ(world.node_of("a0"), "n2");
  EXPECT_EQ(world.node_of("b0"), "n1");
}

// Equal nodes, but only the first is in the zone that subgroup b must be in.
TEST(Allocate, EqualNodesDifferInWhoElseMayUseThem) {
  World world;
  world.topology("t", {"rack"});
  world.topology("u", {"zone"});
  world.node("n1", {.cpu = 2, .labels = {{"rack", "r"}, {"zone", "z"}}});
  world.node("n2", {.cpu = 2, .labels = {{"rack", "r"}}});
  world.node("n3", {.cpu = 1, .labels = {{"zone", "z"}}});
  world.gang("g", {.min_member = 2,
                   .subgroups = {{.name = "a", .topology = "t", .required = "rack"},
                                 {.name = "b", .topology = "u", .required = "zone"}}});
  world.pod("a0", "g", {.cpu = 2, .subgroup = "a"});
  world.pod("b0", "g", {.cpu = 2, .memory_gib = 2, .subgroup = "b"});
  world.cycle();
  EXPECT_EQ(world.node_of("a0"), "n2");
  EXPECT_EQ(world.node_of("b0"), "n1");
}

// The tighter node is filled first, but the first rank stands on the first node.
TEST(Allocate, RanksOfPodsThatDifferFollowTheNodes) {
  World world;
  world.node("n1", {.cpu = 8});
  world.node("n2", {.cpu = 4});
  world.gang("g", {.min_member = 3});
  world.pod("g-0", "g", {.cpu = 4});
  world.pod("g-1", "g", {.cpu = 4});
  world.pod("g-2", "g", {.cpu = 3});
  world.cycle();
  EXPECT_EQ(world.node_of("g-0"), "n1");
  EXPECT_EQ(world.node_of("g-1"), "n2");
  EXPECT_EQ(world.node_of("g-2"), "n1");
}

// Its pods run in two racks, from before it asked for one.
TEST(Allocate, APodJoinsTheRackWhereMostOfItsGangRuns) {
  World world;
  world.topology("t", {"rack"});
  world.node("n1", {.cpu = 4, .labels = {{"rack", "r1"}}});
  world.node("n2", {.cpu = 4, .labels = {{"rack", "r2"}}});
  world.gang("g", {.min_member = 1, .topology = "t", .required = "rack"});
  world.pod("g-0", "g", {.node = "n1"});
  for (const char* name : {"g-1", "g-2"}) world.pod(name, "g", {.node = "n2"});
  world.pod("g-3", "g");
  world.cycle();
  EXPECT_EQ(world.node_of("g-3"), "n2");
}

// The topology chooses the rack; it knows nodes too, but a node is for the scores to choose.
TEST(Allocate, InsideARackTheScoresChooseTheNode) {
  World world;
  world.config.placement_strategy.cpu = Strategy::Spread;
  world.topology("t", {"rack", "name"});
  for (const char* name : {"n1", "n2", "n3"}) {
    world.node(name, {.cpu = 2, .labels = {{"rack", "r"}, {"name", name}}});
  }
  world.gang("g", {.count = 3, .topology = "t", .required = "rack"});
  world.cycle();
  std::set<std::string> nodes;
  for (const char* pod : {"g-0", "g-1", "g-2"}) nodes.insert(world.node_of(pod));
  EXPECT_EQ(nodes.size(), 3U);
}

}  // namespace
}  // namespace trellis::allocate_test
