#include "session/snapshot/snapshot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "session/record/outcomes.h"
#include "tests/support/world.h"

namespace trellis::snapshot_test {
namespace {

using ::testing::ElementsAre;

class SnapshotTest : public ::testing::Test {
 protected:
  const Snapshot& open() {
    session_ = &world.scheduler().open(0);
    session_->snapshot().check_invariants(world.cluster);
    session_->fits().check_invariants();
    return session_->snapshot();
  }
  int64_t now(const char* node, ResourceId resource = kCpu) {
    return session_->snapshot().state().now[resource][world.node_id(node)];
  }
  int64_t future(const char* node, ResourceId resource = kCpu) {
    return session_->snapshot().state().future[resource][world.node_id(node)];
  }
  std::vector<int64_t> devices(const char* node, FitMode mode = FitMode::Now) {
    auto cells = session_->snapshot().state().devices(world.node_id(node), mode);
    return {cells.begin(), cells.end()};
  }
  int fits(const char* pod, const char* node) {
    return session_->fits().node_fit(world.node_id(node), world.class_of(pod), FitMode::Now);
  }

  World world;
  Session* session_ = nullptr;
};

TEST_F(SnapshotTest, ColumnsOfEachStatus) {
  world.node("n", {.cpu = 20});
  world.gang("g", {.min_member = 1});
  world.pod("bound", "g", {.cpu = 1, .node = "n", .status = PodStatus::Bound});
  world.pod("running", "g", {.cpu = 2, .node = "n"});
  world.pod("leaving", "g", {.cpu = 4, .node = "n", .status = PodStatus::Releasing});
  world.pod("done", "g", {.cpu = 8, .node = "n", .status = PodStatus::Succeeded});
  world.pod("failed", "g", {.cpu = 8, .node = "n", .status = PodStatus::Failed});
  world.pod("pending", "g", {.cpu = 8});
  const Snapshot& snapshot = open();
  EXPECT_EQ(now("n"), 13'000);
  EXPECT_EQ(future("n"), 17'000);
  EXPECT_EQ(now("n", kPods), 107);
  EXPECT_EQ(future("n", kPods), 108);
  EXPECT_EQ(snapshot.leaving_nodes(), 1);
  GangCounts counts = snapshot.gang_counts()[world.gang_id("g")];
  EXPECT_EQ(counts.placed, 3);  // bound, running, succeeded
  EXPECT_EQ(counts.waiting, 1);
}

TEST_F(SnapshotTest, FollowsTheClusterBetweenSessions) {
  world.node("n", {.cpu = 4});
  world.gang("g", {.min_member = 1});
  world.pod("p", "g");
  open();
  EXPECT_EQ(fits("p", "n"), 4);
  world.pod("q", "g", {.node = "n"});
  open();
  EXPECT_EQ(fits("p", "n"), 3);
  world.node("n", {.cpu = 8});
  open();
  EXPECT_EQ(fits("p", "n"), 7);
  world.node("n", {.cpu = 8, .taints = {{"team"}}});
  open();
  EXPECT_EQ(fits("p", "n"), 0);
  world.node("n", {.cpu = 8, .unschedulable = true});
  open();
  EXPECT_EQ(fits("p", "n"), 0);
  world.node("n", {.cpu = 8});
  world.node("a", {.cpu = 2});
  open();
  EXPECT_EQ(fits("p", "n"), 7);
  EXPECT_EQ(fits("p", "a"), 2);
  world.cluster.remove_node("n");
  const Snapshot& snapshot = open();
  EXPECT_EQ(session_->fits().total(world.class_of("p"), FitMode::Now), 2);
  EXPECT_EQ(snapshot.all_nodes().node_order().size(), 1u);
  EXPECT_FALSE(snapshot.pod(world.pod_id("q")).node.valid());
}

TEST_F(SnapshotTest, ANewResourceAddsAColumn) {
  world.node("n");
  world.gang("g", {.min_member = 1});
  world.pod("p", "g");
  open();
  world.pod("q", "g", {.extended = {{"example.com/nic", 1}}});
  open();
  EXPECT_EQ(fits("q", "n"), 0);
  world.node("n", {.extended = {{"example.com/nic", 2}}});
  open();
  EXPECT_EQ(fits("q", "n"), 2);
}

TEST_F(SnapshotTest, LabelsAndTopologiesMakeNewTrees) {
  world.topology("t", {"rack"});
  world.node("n", {.labels = {{"rack", "r1"}}});
  const Snapshot& snapshot = open();
  TopologyId id = world.cluster.find_topology("t");
  EXPECT_EQ(snapshot.trees()[id].domain_count(), 2u);
  world.node("n", {.labels = {{"rack", "r2"}}});
  open();
  DomainId domain = snapshot.trees()[id].domain_of(world.node_id("n"));
  EXPECT_EQ(world.cluster.vocabulary().strings.view(snapshot.trees()[id].value(domain)), "r2");
  world.topology("t", {"zone", "rack"});
  open();
  EXPECT_EQ(snapshot.trees()[id].level_count(), 2);
  EXPECT_TRUE(snapshot.trees()[id].incomplete(world.node_id("n")));
  world.topology("u", {"rack"});
  open();
  EXPECT_EQ(snapshot.trees().size(), 2u);
}

TEST_F(SnapshotTest, DevicesOfPodsThatShare) {
  world.node("a", {.gpu = 1});
  world.node("n", {.gpu = 3});
  world.gang("g", {.min_member = 1});
  world.pod("named", "g", {.share = {.milli = 300}, .node = "n", .gpu_groups = {"2"}});
  world.pod("whole", "g", {.gpu = 1, .node = "n"});
  world.pod("a-free", "g", {.share = {.milli = 800}, .node = "n"});
  world.pod("b-free", "g", {.share = {.milli = 300}, .node = "n", .status = PodStatus::Releasing});
  const Snapshot& snapshot = open();
  // Unnamed ones go where they fit first, in order of name.
  EXPECT_THAT(devices("n"), ElementsAre(200, 700, 700));
  EXPECT_THAT(devices("n", FitMode::Future), ElementsAre(200, 1000, 700));
  EXPECT_EQ(now("n", kGpu), -1000);  // three opened and one held whole, of three
  EXPECT_EQ(future("n", kGpu), 0);
  auto gpus = [&](const std::string& name) {
    NodeId node = world.node_id(name);
    return count_node_gpus(world.cluster, snapshot, node, world.cluster.pods_of(node));
  };
  EXPECT_EQ(gpus("n").idle, 0);
  EXPECT_EQ(gpus("n").releasing, 0);
  EXPECT_EQ(gpus("a").idle, 1);
}

TEST_F(SnapshotTest, DevicesMoveWhenNodesChange) {
  world.node("a", {.gpu = 2});
  world.node("b", {.gpu = 2});
  world.gang("g", {.min_member = 1});
  world.pod("p", "g", {.share = {.milli = 400}, .node = "b", .gpu_groups = {"1"}});
  open();
  EXPECT_THAT(devices("b"), ElementsAre(1000, 600));
  world.node("a", {.gpu = 5});
  open();
  EXPECT_THAT(devices("b"), ElementsAre(1000, 600));
  EXPECT_EQ(devices("a").size(), 5u);
  world.cluster.remove_node("a");
  open();
  EXPECT_THAT(devices("b"), ElementsAre(1000, 600));
  world.node("b", {.gpu = 1});
  open();
  EXPECT_THAT(devices("b"), ElementsAre(600));  // device 1 is gone: it must be the one left
}

// Absurd requests on one node add up; nothing wraps around and nothing more fits.
TEST_F(SnapshotTest, HugeRequestsSaturate) {
  world.node("n", {.extended = {{"example.com/huge", kMaxAmount}}});
  world.gang("g", {.min_member = 1});
  for (int i = 0; i < 9000; ++i) {
    world.pod("p" + std::to_string(i), "g",
              {.cpu = 0, .extended = {{"example.com/huge", kMaxAmount}}, .node = "n"});
  }
  world.pod("q", "g", {.cpu = 0, .extended = {{"example.com/huge", 1}}});
  open();
  ResourceId huge = world.cluster.vocabulary().resources.find("example.com/huge");
  EXPECT_EQ(now("n", huge), -kMaxAmount);
  EXPECT_EQ(fits("q", "n"), 0);
  EXPECT_EQ(session_->fits().total(world.class_of("q"), FitMode::Now), 0);
}

}  // namespace
}  // namespace trellis::snapshot_test
