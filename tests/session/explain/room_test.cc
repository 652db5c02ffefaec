#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "session/cycle/scheduler.h"
#include "session/explain/room_explanation.h"
#include "tests/support/world.h"

namespace trellis::room_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// Two racks of two nodes of four GPUs; r1 is half full, a pod is leaving r2.
struct Hall : World {
  Hall() {
    topology("t", {"rack"});
    for (const char* name : {"r1-a", "r1-b", "r2-a", "r2-b"}) {
      node(name, {.cpu = 8, .gpu = 4, .labels = {{"rack", std::string(name).substr(0, 2)}}});
    }
    gang("run");
    pod("run-0", "run", {.gpu = 4, .node = "r1-a"});
    gang("leaves");
    pod("leaves-0", "leaves", {.gpu = 2, .node = "r2-a", .status = PodStatus::Releasing});
  }
  ResourceRoom room_of(const std::vector<ResourceRoom>& rooms, ResourceId resource) const {
    for (const ResourceRoom& room : rooms) {
      if (room.resource == resource) return room;
    }
    return {};
  }
};

TEST(ExplainNode, WhatRunsAndWhatIsFree) {
  Hall hall;
  hall.cycle();
  NodeExplanation node = explain_node(hall.scheduler().session(), hall.node_id("r2-a"));
  ASSERT_THAT(node.pods, SizeIs(1));
  EXPECT_EQ(node.pods[0].pod, hall.pod_id("leaves-0"));
  EXPECT_EQ(node.pods[0].holds.get(kGpu), 2000);
  ResourceRoom gpus = hall.room_of(node.resources, kGpu);
  EXPECT_EQ(gpus.allocatable, 4000);
  EXPECT_EQ(gpus.now, 2000);
  EXPECT_EQ(gpus.later, 4000);
  EXPECT_THAT(node.devices, IsEmpty()) << "no device is shared";
  ASSERT_THAT(node.domains, SizeIs(1));
  EXPECT_THAT(node.pending, IsEmpty());
}

TEST(ExplainNode, PodsDecidedInTheCycleRunThere) {
  Hall hall;
  hall.gang("new", {.count = 1, .pod = {.gpu = 4, .selector = {{"rack", "r1"}}}});
  hall.cycle();
  ASSERT_EQ(hall.node_of("new-0"), "r1-b");
  NodeExplanation node = explain_node(hall.scheduler().session(), hall.node_id("r1-b"));
  ASSERT_THAT(node.pods, SizeIs(1));
  EXPECT_EQ(hall.room_of(node.resources, kGpu).now, 0);
}

TEST(ExplainNode, WaitingPodsOfEachShape) {
  Hall hall;
  hall.gang("big-a",
            {.count = 2, .pod = {.cpu = 1, .gpu = 4}, .topology = "t", .required = "rack"});
  hall.gang("big-b",
            {.count = 2, .pod = {.cpu = 1, .gpu = 4}, .topology = "t", .required = "rack"});
  hall.gang("huge", {.count = 1, .pod = {.cpu = 100, .gpu = 1}});
  hall.config.actions.clear();  // all of them wait
  NodeExplanation node = explain_node(hall.scheduler().open(0), hall.node_id("r1-b"));
  ASSERT_THAT(node.shapes, SizeIs(2));
  EXPECT_EQ(node.shapes[0].gang, hall.gang_id("big-a"));
  EXPECT_EQ(node.shapes[0].members, 2);
  ASSERT_THAT(node.pending, SizeIs(2));
  EXPECT_EQ(node.pending[0].now, 1);
  EXPECT_THAT(node.pending[0].reasons, IsEmpty());
  EXPECT_EQ(node.pending[1].now, 0);
  ASSERT_THAT(node.pending[1].reasons, SizeIs(1));
  EXPECT_EQ(node.pending[1].reasons[0].resource, kCpu);
}

TEST(ExplainNode, SharedDevicesOneByOne) {
  World world;
  world.node("n", {.gpu = 2});
  world.gang("half", {.count = 1, .pod = {.share = {.milli = 500}}});
  world.cycle();
  NodeExplanation node = explain_node(world.scheduler().session(), world.node_id("n"));
  ASSERT_THAT(node.devices, SizeIs(2));
  EXPECT_EQ(node.devices[0].now + node.devices[1].now, 1500);
  ASSERT_THAT(node.pods, SizeIs(1));
  EXPECT_EQ(node.pods[0].holds.get(kGpu), 500);
  for (const ResourceRoom& room : node.resources) {
    if (room.resource == kGpu) {
      EXPECT_EQ(room.now, 1500);
    }
  }
}

TEST(ExplainDomain, WholeGangsByCount) {
  Hall hall;
  hall.gang("pair", {.count = 2, .pod = {.cpu = 1, .gpu = 4}, .topology = "t", .required = "rack"});
  hall.gang("free", {.count = 2, .pod = {.cpu = 1, .gpu = 4}});
  hall.config.actions.clear();
  Session& session = hall.scheduler().open(0);
  TopologyId topology = hall.cluster.find_topology("t");
  DomainExplanation root =
      explain_domain(session, topology, session.snapshot().trees()[topology].root());
  EXPECT_EQ(root.nodes, 4);
  EXPECT_EQ(root.measure, kGpu);
  ASSERT_THAT(root.children, SizeIs(2));
  EXPECT_EQ(root.children[0].now, 4000);
  EXPECT_EQ(root.children[1].now, 6000);
  ASSERT_THAT(root.shapes, SizeIs(2));
  EXPECT_EQ(root.shapes[0].gang, hall.gang_id("free"));
  // r1-b and r2-b take a pod each: a gang, but none inside a rack, until the pod on r2-a has left.
  EXPECT_EQ(root.pending[0].pods, 2);
  EXPECT_EQ(root.pending[0].gangs, 1);
  EXPECT_EQ(root.pending[1].pods, 2);
  EXPECT_EQ(root.pending[1].gangs, 0);
  EXPECT_EQ(root.pending[1].later_gangs, 1);
}

TEST(ExplainDomain, GangsInIt) {
  Hall hall;
  hall.gang("wide", {.count = 3, .pod = {.gpu = 2}});
  hall.cycle();
  Session& session = hall.scheduler().session();
  TopologyId topology = hall.cluster.find_topology("t");
  const std::string_view r1[] = {"r1"};
  DomainExplanation rack = explain_domain(session, topology, find_domain(session, topology, r1));
  int64_t pods = 0;
  for (const Holding& holding : rack.gangs) pods += holding.pods;
  int64_t placed_here = 1;  // run-0
  for (const char* pod : {"wide-0", "wide-1", "wide-2"}) {
    placed_here += hall.node_of(pod).starts_with("r1") ? 1 : 0;
  }
  EXPECT_EQ(pods, placed_here);
}

TEST(FindDomain, ByPath) {
  Hall hall;
  hall.cycle();
  Session& session = hall.scheduler().session();
  TopologyId topology = hall.cluster.find_topology("t");
  const std::string_view r2[] = {"r2"};
  const std::string_view r3[] = {"r3"};
  EXPECT_THAT(name_of(session, {topology, find_domain(session, topology, r2)}).path,
              ElementsAre("r2"));
  EXPECT_FALSE(find_domain(session, topology, r3).valid());
  EXPECT_EQ(find_domain(session, topology, {}), session.snapshot().trees()[topology].root());
}

}  // namespace
}  // namespace trellis::room_test
