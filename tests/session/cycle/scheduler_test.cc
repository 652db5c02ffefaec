#include "session/cycle/scheduler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "tests/support/world.h"

namespace trellis::scheduler_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Scheduler, AnIdleCycleGivesTheSameRecord) {
  World world;
  world.node("n", {.cpu = 1});
  world.gang("g", {.count = 1});
  world.gang("h", {.count = 1, .created = 1});
  auto first = world.scheduler().run_cycle(0);
  auto second = world.scheduler().run_cycle(1);
  EXPECT_NE(first, second);  // the first decided something that has not come true
  world.cycle();
  world.pass_time();
  auto settled = world.scheduler().run_cycle(2);
  EXPECT_NE(settled, first);
  EXPECT_EQ(world.scheduler().run_cycle(3), settled);
  EXPECT_EQ(world.scheduler().run_cycle(4), settled);
  world.node("n", {.cpu = 2});
  EXPECT_NE(world.scheduler().run_cycle(5), settled);
}

TEST(Scheduler, UndecidedCyclesStartFromTheCluster) {
  World world;
  world.node("n", {.cpu = 3});
  world.gang("g", {.count = 2});
  for (int cycle = 0; cycle < 3; ++cycle) {
    world.cycle();
    EXPECT_EQ(world.node_of("g-0"), "n");
    EXPECT_EQ(world.node_of("g-1"), "n");
    EXPECT_EQ(world.gang_outcome("g").status, GangStatus::Scheduled);
  }
}

TEST(Scheduler, TheClusterChangesBetweenCycles) {
  World world;
  world.topology("t", {"rack"});
  world.node("a", {.cpu = 2, .labels = {{"rack", "r1"}}});
  world.node("b", {.cpu = 1, .labels = {{"rack", "r2"}}});
  world.gang("g", {.count = 3, .topology = "t", .required = "rack"});
  world.cycle();
  EXPECT_EQ(world.code_of("g"), ReasonCode::TopologyNoFit);

  world.node("b", {.cpu = 1, .labels = {{"rack", "r1"}}});  // moves to the other rack
  world.cycle();
  EXPECT_EQ(world.gang_outcome("g").status, GangStatus::Scheduled);
  EXPECT_THAT(world.gang_outcome("g").reasons, IsEmpty());

  world.cluster.remove_node("b");
  world.cycle();
  EXPECT_EQ(world.gang_outcome("g").status, GangStatus::Pending);

  world.node("c", {.cpu = 3, .labels = {{"rack", "r9"}}});
  world.cycle();
  EXPECT_EQ(world.node_of("g-0"), "c");
  EXPECT_EQ(world.gang_outcome("g").placement->domain, std::vector<std::string>{"r9"});

  world.topology("t", {"row", "rack"});  // no node has a row
  world.cycle();
  EXPECT_EQ(world.gang_outcome("g").status, GangStatus::Pending);
  EXPECT_EQ(world.code_of("g"), ReasonCode::TopologyNoFit);

  world.node("c", {.cpu = 3, .labels = {{"row", "1"}, {"rack", "r9"}}});
  world.cycle();
  EXPECT_EQ(world.gang_outcome("g").placement->domain, (std::vector<std::string>{"1", "r9"}));
}

TEST(Scheduler, ANodeGoesWithItsPods) {
  World world;
  world.node("a", {.cpu = 2});
  world.node("b", {.cpu = 2});
  world.gang("g", {.min_member = 1});
  world.pod("g-0", "g", {.cpu = 2, .node = "a"});
  world.gang("h", {.count = 2, .pod = {.cpu = 2}});
  world.cycle();
  EXPECT_EQ(world.code_of("h"), ReasonCode::NodesNoFit);
  world.cluster.remove_node("a");
  world.cycle();
  EXPECT_EQ(world.status_of("g-0"), PodStatus::Running);
  EXPECT_EQ(world.node_of("g-0"), "");
  world.node("a", {.cpu = 4});
  world.cycle();
  EXPECT_EQ(world.node_of("g-0"), "a");
  EXPECT_EQ(world.node_of("h-0"), "a");
}

TEST(Scheduler, ARecordOutlivesItsCycle) {
  World world;
  world.node("n", {.gpu = 4});
  world.gang("g", {.count = 1, .pod = {.gpu = 1}});
  auto record = world.scheduler().run_cycle(7);
  world.cluster.remove_node("n");
  world.cycle(8);
  EXPECT_EQ(record->now, 7);
  EXPECT_EQ(record->pods[world.pod_id("g-0")].status, PodStatus::Bound);
  EXPECT_EQ(record->nodes[NodeId(0)].idle, 3);
}

TEST(Scheduler, IdleAndReleasingGpus) {
  World world;
  world.node("n", {.gpu = 8});
  world.gang("old", {.min_member = 1});
  world.pod("leaves", "old", {.gpu = 2, .node = "n", .status = PodStatus::Releasing});
  world.pod("stays", "old", {.gpu = 3, .node = "n"});
  world.gang("g", {.count = 1, .pod = {.gpu = 1}});
  world.cycle();
  EXPECT_EQ(world.record().nodes[world.node_id("n")].idle, 2);
  EXPECT_EQ(world.record().nodes[world.node_id("n")].releasing, 2);
  world.gang("h", {.count = 1, .pod = {.gpu = 3}, .created = 1});
  world.cycle();
  EXPECT_EQ(world.status_of("h-0"), PodStatus::Pipelined);
  EXPECT_EQ(world.record().nodes[world.node_id("n")].idle, 2);  // one is promised, no pod holds it
  EXPECT_EQ(world.record().nodes[world.node_id("n")].releasing, 0);
}

TEST(Scheduler, StatusesOfGangs) {
  World world;
  world.node("n");
  world.gang("running", {.min_member = 1});
  world.pod("running-0", "running", {.node = "n"});
  world.gang("bound", {.min_member = 1});
  world.pod("bound-0", "bound", {.node = "n", .status = PodStatus::Bound});
  world.gang("leaving", {.min_member = 1});
  world.pod("leaving-0", "leaving", {.node = "n", .status = PodStatus::Releasing});
  world.gang("partly", {.min_member = 2});
  world.pod("partly-0", "partly", {.node = "n"});
  world.pod("partly-1", "partly", {.node = "n", .status = PodStatus::Releasing});
  world.gang("waits", {.count = 1, .pod = {.gpu = 1}});
  world.cycle();
  EXPECT_EQ(world.gang_outcome("running").status, GangStatus::Running);
  EXPECT_EQ(world.gang_outcome("bound").status, GangStatus::Scheduled);
  EXPECT_EQ(world.gang_outcome("leaving").status, GangStatus::Releasing);
  EXPECT_EQ(world.gang_outcome("partly").status, GangStatus::Pending);
  EXPECT_EQ(world.gang_outcome("waits").status, GangStatus::Pending);
}

TEST(Scheduler, PlacementNamesTheDomain) {
  World world;
  world.topology("t", {"block", "rack"});
  for (const char* name : {"b1r1", "b1r2", "b2r1"}) {
    std::string text = name;
    world.node(name,
               {.cpu = 2, .labels = {{"block", text.substr(0, 2)}, {"rack", text.substr(2)}}});
  }
  auto placement = [&](const GangArgs& args) {
    World copy;
    copy.topology("t", {"block", "rack"});
    for (NodeId node : world.cluster.nodes_by_name()) {
      const std::string& name = world.cluster.nodes()[node].name;
      copy.node(name,
                {.cpu = 2, .labels = {{"block", name.substr(0, 2)}, {"rack", name.substr(2)}}});
    }
    copy.gang("g", args);
    copy.cycle();
    return copy.gang_outcome("g").placement;
  };
  auto rack = placement({.count = 2, .topology = "t", .required = "rack"});
  ASSERT_TRUE(rack);
  EXPECT_EQ(rack->topology, "t");
  EXPECT_EQ(rack->level, "rack");
  EXPECT_EQ(rack->domain.size(), 2u);
  auto block = placement({.count = 3, .topology = "t", .required = "block", .preferred = "rack"});
  EXPECT_EQ(block->level, "block");
  EXPECT_THAT(block->domain, ElementsAre("b1"));
  // No deeper than what was asked for.
  auto coarse = placement({.count = 1, .topology = "t", .required = "block"});
  EXPECT_EQ(coarse->level, "block");
  auto everywhere = placement({.count = 6, .topology = "t", .preferred = "rack"});
  EXPECT_EQ(everywhere->level, "");
  EXPECT_THAT(everywhere->domain, IsEmpty());
  EXPECT_FALSE(placement({.count = 1}));
  EXPECT_FALSE(placement({.count = 7, .topology = "t", .required = "block"}));
}

// Two cycles at `before` and `after` give two records, and one a moment earlier does not.
void expect_due(World& world, TimeUs due) {
  auto first = world.scheduler().run_cycle(0);
  ASSERT_TRUE(first->decisions.empty());
  EXPECT_EQ(first->next_change, due);
  EXPECT_EQ(world.scheduler().run_cycle(due - 1), first);
  EXPECT_NE(world.scheduler().run_cycle(due), first);
}

Gang gang_that_waits(World& world) {
  world.node("n", {.cpu = 1});
  world.gang("g", {.count = 2, .created = 5});
  return world.cluster.gangs()[world.gang_id("g")];
}

TEST(Scheduler, TimeAloneEndsAnIdlePhase) {
  World patient;
  Gang gang = gang_that_waits(patient);
  gang.preemption_delay_us = 100;
  patient.cluster.upsert(gang);
  expect_due(patient, 105);

  World reserved;
  gang_that_waits(reserved);
  reserved.config.limits.reserve_after_us = 30;
  expect_due(reserved, 35);

  World stale;
  stale.node("n", {.cpu = 1});
  stale.gang("g", {.min_member = 2, .count = 1, .pod = {.node = "n"}});
  stale.cluster.set_gang_times(stale.gang_id("g"), kNoTime, -10 * kSecondUs);
  expect_due(stale, 50 * kSecondUs);

  World young;
  young.node("n", {.cpu = 1});
  young.gang("g", {.count = 1, .pod = {.node = "n"}});
  young.cluster.set_gang_times(young.gang_id("g"), -7, kNoTime);
  young.config.queues.default_reclaim_min_runtime_us = 20;
  young.config.queues.default_preempt_min_runtime_us = 30;
  expect_due(young, 13);
  EXPECT_EQ(young.scheduler().run_cycle(14)->next_change, 23);
  EXPECT_EQ(young.scheduler().run_cycle(23)->next_change, kNoTime);
}

TEST(Scheduler, APodThatDoesNotLeaveGetsStuck) {
  World world;
  world.node("n", {.cpu = 1});
  world.gang("old", {.count = 1, .pod = {.node = "n"}});
  world.gang("new", {.count = 1});
  PodId id = world.pod_id("old-0");
  Pod pod = world.cluster.pods()[id].pod;
  pod.status = PodStatus::Releasing;
  pod.leaving_since = 10 * kSecondUs;
  world.cluster.upsert(pod, world.cluster.pod_classes()[world.cluster.pods()[id].pod_class]);
  EXPECT_EQ(world.cycle(20 * kSecondUs).next_change, 130 * kSecondUs);
  EXPECT_EQ(world.status_of("new-0"), PodStatus::Pipelined);
  EXPECT_EQ(world.cycle(130 * kSecondUs).next_change, kNoTime);
  EXPECT_EQ(world.status_of("new-0"), PodStatus::Pending);
  world.remove_pod("old-0");
  world.cycle(131 * kSecondUs);
  EXPECT_EQ(world.status_of("new-0"), PodStatus::Bound);
}

// What is due then is done then: nothing else would wake a service for it.
TEST(Scheduler, RoomIsReservedInTheCycleThatIsDue) {
  auto run = [](TimeUs now) {
    World world;
    world.config.limits.reserve_after_us = 30;
    world.config.actions = {"allocate"};
    gang_that_waits(world);
    world.gang("later", {.count = 1, .created = 6});
    world.cycle(now);
    return world.code_of("later");
  };
  EXPECT_EQ(run(34), ReasonCode::None);
  EXPECT_EQ(run(35), ReasonCode::ReservedForOther);
}

TEST(Scheduler, NothingIsDueWhereNoTimeCounts) {
  World world;
  gang_that_waits(world);
  EXPECT_EQ(world.scheduler().run_cycle(0)->next_change, kNoTime);
}

}  // namespace
}  // namespace trellis::scheduler_test
