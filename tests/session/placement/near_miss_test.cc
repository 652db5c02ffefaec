#include "session/placement/near_miss.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

#include "tests/support/queues.h"
#include "tests/support/world.h"
#include "tests/topology/kai_tree.h"

namespace trellis::near_miss_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

using Miss = std::tuple<ReasonCode, int64_t, std::string>;  // code, nodes, example

const Reason& reason_of(World& world, std::string_view gang) {
  return world.gang_outcome(gang).reasons.at(0);
}

std::vector<Miss> misses(World& world, std::string_view gang) {
  std::vector<Miss> all;
  for (const VerdictCount& count : reason_of(world, gang).verdicts) {
    all.emplace_back(count.code, count.nodes, world.cluster.nodes()[count.example].name);
  }
  return all;
}

TEST(NearMiss, EveryCauseIsCounted) {
  World world;
  world.node("a-tainted", {.gpu = 8, .taints = {{"team"}}});
  world.node("b-cordoned", {.gpu = 8, .unschedulable = true});
  world.node("c-broken", {.gpu = 8, .ready = false});
  world.node("d-small", {.cpu = 1, .gpu = 8});
  world.node("e-no-gpu");
  world.node("f-no-gpu");
  world.node("g-crowded", {.pods = 0, .gpu = 8});
  world.node("h-other", {.gpu = 8, .labels = {{"zone", "b"}}});
  world.gang("g", {.count = 1, .pod = {.cpu = 2, .gpu = 1, .selector = {{"zone", "a"}}}});
  world.gang("h", {.count = 1, .pod = {.cpu = 2, .gpu = 9}, .created = 1});
  world.cycle();
  EXPECT_EQ(reason_of(world, "g").code, ReasonCode::NodesNoFit);
  EXPECT_EQ(reason_of(world, "g").nodes, 8);
  EXPECT_THAT(misses(world, "g"), ElementsAre(Miss(ReasonCode::NodeSelectorMismatch, 5, "d-small"),
                                              Miss(ReasonCode::NodeNotReady, 1, "c-broken"),
                                              Miss(ReasonCode::NodeUnschedulable, 1, "b-cordoned"),
                                              Miss(ReasonCode::UntoleratedTaint, 1, "a-tainted")));
  // What else is short is not reported where GPUs are.
  EXPECT_THAT(misses(world, "h"), ElementsAre(Miss(ReasonCode::InsufficientResource, 5, "d-small"),
                                              Miss(ReasonCode::NodeNotReady, 1, "c-broken"),
                                              Miss(ReasonCode::NodeUnschedulable, 1, "b-cordoned"),
                                              Miss(ReasonCode::UntoleratedTaint, 1, "a-tainted")));
  EXPECT_EQ(reason_of(world, "h").verdicts[0].resource, kGpu);
}

TEST(NearMiss, ThePodLimitIsItsOwnCause) {
  World world;
  world.node("n", {.pods = 1});
  world.gang("g", {.count = 2});
  world.cycle();
  EXPECT_EQ(reason_of(world, "g").found, 1);
  EXPECT_EQ(reason_of(world, "g").needed, 2);
  EXPECT_THAT(misses(world, "g"), IsEmpty());  // one pod would fit: no node says no
  world.gang("h", {.count = 1, .created = -1});
  world.cycle();
  EXPECT_THAT(misses(world, "g"), ElementsAre(Miss(ReasonCode::TooManyPods, 1, "n")));
}

TEST(NearMiss, TheNearestDomainOfTheRequiredLevel) {
  World world;
  add_kai_tree(world);
  world.gang("g", {.count = 3, .pod = {.gpu = 4}, .topology = "network", .required = "zone"});
  world.cycle();
  const Reason& reason = reason_of(world, "g");
  EXPECT_EQ(reason.code, ReasonCode::TopologyNoFit);
  EXPECT_EQ(reason.plugin, "topology");
  EXPECT_EQ(reason.topology, "network");
  EXPECT_EQ(reason.level, "zone");
  EXPECT_THAT(reason.domain, ElementsAre("B"));
  EXPECT_EQ(reason.found, 2);
  EXPECT_EQ(reason.needed, 3);
  EXPECT_EQ(reason.nodes, 12);
  EXPECT_THAT(misses(world, "g"), ElementsAre(Miss(ReasonCode::InsufficientResource, 8, "NA1-1"),
                                              Miss(ReasonCode::OutsideDomain, 2, "NA2-1")));
}

TEST(NearMiss, TheReasonNamesTheDomainWhereTheGangRuns) {
  World world;
  world.topology("t", {"rack"});
  world.node("a", {.cpu = 1, .labels = {{"rack", "r1"}}});
  world.node("b", {.cpu = 9, .labels = {{"rack", "r2"}}});
  world.gang("g", {.min_member = 1, .topology = "t", .required = "rack"});
  world.pod("g-0", "g", {.node = "a"});
  world.pod("g-1", "g");
  world.cycle();
  EXPECT_THAT(reason_of(world, "g").domain, ElementsAre("r1"));
  EXPECT_EQ(reason_of(world, "g").found, 0);
  EXPECT_THAT(misses(world, "g"), ElementsAre(Miss(ReasonCode::InsufficientResource, 1, "a"),
                                              Miss(ReasonCode::OutsideDomain, 1, "b")));
}

TEST(NearMiss, PreferredOnlyMeansTheWholeCluster) {
  World world;
  add_kai_tree(world);
  world.gang("g", {.count = 5, .pod = {.gpu = 4}, .topology = "network", .preferred = "rack"});
  world.cycle();
  const Reason& reason = reason_of(world, "g");
  EXPECT_EQ(reason.code, ReasonCode::TopologyNoFit);
  EXPECT_EQ(reason.level, "");
  EXPECT_THAT(reason.domain, IsEmpty());
  EXPECT_EQ(reason.found, 4);
  EXPECT_THAT(misses(world, "g"), ElementsAre(Miss(ReasonCode::InsufficientResource, 8, "NA1-1")));
}

TEST(NearMiss, OfDifferentPodsTheHardestSpeaks) {
  World world;
  world.node("n", {.cpu = 4, .gpu = 1});
  world.gang("g", {.min_member = 3});
  world.pod("g-0", "g", {.cpu = 1});
  world.pod("g-1", "g", {.cpu = 1, .gpu = 1});
  world.pod("g-2", "g", {.cpu = 1, .gpu = 1});
  world.cycle();
  EXPECT_EQ(reason_of(world, "g").found, 1);
  EXPECT_EQ(reason_of(world, "g").needed, 3);
}

TEST(NearMiss, NoNodesAtAll) {
  World world;
  world.topology("t", {"rack"});
  world.gang("g", {.count = 1});
  world.gang("h", {.count = 1, .topology = "t", .required = "rack"});
  world.cycle();
  EXPECT_EQ(reason_of(world, "g").code, ReasonCode::NodesNoFit);
  EXPECT_EQ(reason_of(world, "g").nodes, 0);
  EXPECT_EQ(reason_of(world, "h").code, ReasonCode::TopologyNoFit);
  EXPECT_THAT(reason_of(world, "h").domain, IsEmpty());
}

// Room is kept for the first gang before the second one takes a node; what is reported at the end
// is how things are then.
TEST(NearMiss, CountsAreOfTheEndOfTheAction) {
  World world;
  world.config.actions = {"allocate"};
  world.config.limits.reserve_after_us = 1;
  for (const char* name : {"a", "b"}) add_queue(world.cluster, name);
  for (const char* name : {"n1", "n2"}) world.node(name, {.cpu = 4});
  world.gang("first", {.count = 3, .pod = {.cpu = 4}, .queue = "a"});
  world.gang("second", {.count = 1, .created = 1, .queue = "b"});
  world.cycle(10);
  ASSERT_EQ(world.node_of("second-0"), "n1");
  EXPECT_EQ(reason_of(world, "first").found, 1);
  EXPECT_THAT(misses(world, "first"), ElementsAre(Miss(ReasonCode::InsufficientResource, 1, "n1")));
}

}  // namespace
}  // namespace trellis::near_miss_test
