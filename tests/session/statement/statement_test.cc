#include "session/statement/statement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/world.h"

namespace trellis::statement_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class StatementTest : public ::testing::Test {
 protected:
  Session& open() { return *(session_ = &world.scheduler().open(0)); }
  Statement& statement() { return session_->statement(); }
  const Snapshot& snapshot() { return session_->snapshot(); }
  int64_t now(const char* node, ResourceId resource = kCpu) {
    return snapshot().state().now[resource][world.node_id(node)];
  }
  int64_t future(const char* node, ResourceId resource = kCpu) {
    return snapshot().state().future[resource][world.node_id(node)];
  }
  bool place(const char* pod, const char* node, FitMode mode = FitMode::Now) {
    return statement().place(world.pod_id(pod), world.node_id(node), mode);
  }
  PodStatus status(const char* pod) { return snapshot().pod(world.pod_id(pod)).status; }
  GangCounts counts(const char* gang) { return snapshot().gang_counts()[world.gang_id(gang)]; }
  bool session_leaves() { return session_->fits().anything_leaving(); }
  int fits(const char* pod, const char* node, FitMode mode = FitMode::Now) {
    return session_->fits().node_fit(world.node_id(node), world.class_of(pod), mode);
  }

  World world;

 private:
  Session* session_ = nullptr;
};

TEST_F(StatementTest, PlaceTakesAndRollbackGivesBack) {
  world.node("n", {.cpu = 4, .gpu = 2});
  world.gang("g", {.count = 2, .pod = {.cpu = 3, .gpu = 1}});
  open();
  const NodeState before = snapshot().state();
  EXPECT_EQ(fits("g-0", "n"), 1);
  Statement::Checkpoint start = statement().checkpoint();
  ASSERT_TRUE(place("g-0", "n"));
  EXPECT_EQ(now("n"), 1000);
  EXPECT_EQ(future("n"), 1000);
  EXPECT_EQ(now("n", kGpu), 1000);
  EXPECT_EQ(now("n", kPods), 109);
  EXPECT_EQ(status("g-0"), PodStatus::Bound);
  EXPECT_EQ(counts("g").placed, 1);
  EXPECT_EQ(counts("g").waiting, 1);
  EXPECT_EQ(fits("g-1", "n"), 0);
  EXPECT_EQ(statement().decision_count(), 1u);
  statement().rollback(start);
  EXPECT_EQ(snapshot().state().now, before.now);
  EXPECT_EQ(snapshot().state().future, before.future);
  EXPECT_EQ(status("g-0"), PodStatus::Pending);
  EXPECT_FALSE(snapshot().pod(world.pod_id("g-0")).node.valid());
  EXPECT_EQ(counts("g").placed, 0);
  EXPECT_EQ(counts("g").waiting, 2);
  EXPECT_EQ(fits("g-1", "n"), 1);
  EXPECT_THAT(statement().decisions(), IsEmpty());
}

TEST_F(StatementTest, ASlotThatWasNotEnteredAfterAllIsForgotten) {
  world.node("n", {.cpu = 4});
  world.gang("g", {.count = 2});
  open();
  Statement::Checkpoint start = statement().checkpoint();
  statement().enter_slot(world.class_of("g-0"), world.node_id("n"));
  Statement::Checkpoint inside = statement().checkpoint();
  ASSERT_TRUE(place("g-0", "n"));
  statement().rollback(inside);
  ASSERT_TRUE(place("g-0", "n"));
  EXPECT_EQ(statement().decisions().front().slot_class, world.class_of("g-0"));
  statement().rollback(start);
  statement().enter_slot(world.class_of("g-0"), world.node_id("n"));
  statement().rollback(start);
  ASSERT_TRUE(place("g-1", "n"));
  EXPECT_FALSE(statement().decisions().front().slot_class.valid());
}

TEST_F(StatementTest, CheckpointsNest) {
  world.node("n", {.cpu = 10});
  world.gang("g", {.count = 4});
  open();
  ASSERT_TRUE(place("g-0", "n"));
  Statement::Checkpoint outer = statement().checkpoint();
  ASSERT_TRUE(place("g-1", "n"));
  Statement::Checkpoint inner = statement().checkpoint();
  ASSERT_TRUE(place("g-2", "n"));
  statement().rollback(inner);
  EXPECT_EQ(now("n"), 8000);
  ASSERT_TRUE(place("g-3", "n"));
  statement().rollback(outer);
  EXPECT_EQ(now("n"), 9000);
  EXPECT_EQ(status("g-0"), PodStatus::Bound);
  EXPECT_EQ(status("g-3"), PodStatus::Pending);
  statement().rollback();
  EXPECT_EQ(now("n"), 10'000);
}

TEST_F(StatementTest, AnEvictedPodHoldsNowAndNotInFuture) {
  world.node("n", {.cpu = 4, .gpu = 1});
  world.gang("v", {.min_member = 1});
  world.pod("v-0", "v", {.cpu = 3, .share = {.milli = 600}, .node = "n", .gpu_groups = {"0"}});
  world.gang("g", {.count = 1, .pod = {.cpu = 4, .gpu = 1}});
  open();
  EXPECT_FALSE(session_leaves());
  EXPECT_EQ(now("n", kGpu), 0);
  statement().evict(world.pod_id("v-0"), world.gang_id("g"));
  EXPECT_TRUE(session_leaves());
  EXPECT_EQ(now("n"), 1000);
  EXPECT_EQ(future("n"), 4000);
  EXPECT_EQ(now("n", kGpu), 0);
  EXPECT_EQ(future("n", kGpu), 1000);
  EXPECT_EQ(status("v-0"), PodStatus::Evicted);
  EXPECT_EQ(counts("v").placed, 0);
  EXPECT_EQ(counts("v").waiting, 0);
  EXPECT_EQ(fits("g-0", "n", FitMode::Now), 0);
  EXPECT_EQ(fits("g-0", "n", FitMode::Future), 1);
  ASSERT_TRUE(place("g-0", "n", FitMode::Future));
  EXPECT_EQ(status("g-0"), PodStatus::Pipelined);
  EXPECT_EQ(now("n"), 0);  // the fourth core is promised
  statement().rollback();
  EXPECT_FALSE(session_leaves());
  EXPECT_EQ(status("v-0"), PodStatus::Running);
  EXPECT_EQ(now("n"), 1000);
  EXPECT_EQ(future("n"), 1000);
  EXPECT_EQ(counts("v").placed, 1);
}

TEST_F(StatementTest, CommitYieldsDecisionsInOrder) {
  world.node("n", {.cpu = 4});
  world.gang("v", {.min_member = 1});
  world.pod("v-0", "v", {.cpu = 4, .node = "n"});
  world.gang("g", {.count = 1, .pod = {.cpu = 4}});
  open();
  statement().evict(world.pod_id("v-0"), world.gang_id("g"));
  ASSERT_TRUE(place("g-0", "n", FitMode::Future));
  std::vector<Decision> made = statement().commit("reclaim");
  ASSERT_THAT(made, SizeIs(2));
  EXPECT_EQ(made[0].action, "reclaim");
  EXPECT_EQ(made[0].kind, Decision::Kind::Evict);
  EXPECT_EQ(made[0].pod, world.pod_id("v-0"));
  EXPECT_EQ(made[0].by, world.gang_id("g"));
  EXPECT_EQ(made[1].kind, Decision::Kind::Pipeline);
  EXPECT_EQ(made[1].node, world.node_id("n"));
  EXPECT_THAT(statement().decisions(), IsEmpty());
  statement().rollback();  // nothing to undo
  EXPECT_EQ(status("g-0"), PodStatus::Pipelined);
  // A new session begins with what the cluster says.
  open();
  EXPECT_EQ(status("g-0"), PodStatus::Pending);
  EXPECT_EQ(status("v-0"), PodStatus::Running);
  EXPECT_EQ(future("n"), 0);
  EXPECT_FALSE(session_leaves());
  snapshot().check_invariants(world.cluster);
}

TEST_F(StatementTest, NoPluginNoDevices) {
  world.config.plugins["gpusharing"].enabled = false;
  world.node("n", {.gpu = 1});
  world.gang("g", {.count = 1, .pod = {.share = {.milli = 500}}});
  open();
  EXPECT_FALSE(place("g-0", "n"));
  EXPECT_EQ(statement().decision_count(), 0u);
  EXPECT_EQ(now("n"), 64'000);
}

// Ports follow placements, evictions and rollbacks, and what the cluster says afterwards.
TEST_F(StatementTest, ListenersFollow) {
  world.node("n");
  world.gang("v", {.min_member = 1});
  world.pod("v-0", "v", {.ports = {{.port = 80}}, .node = "n"});
  world.gang("g", {.count = 1, .pod = {.ports = {{.port = 80}}}});
  world.gang("h", {.count = 1, .pod = {.ports = {{.port = 81}}}});
  open();
  EXPECT_EQ(fits("g-0", "n"), 0);
  EXPECT_EQ(fits("h-0", "n"), 1);
  ASSERT_TRUE(place("h-0", "n"));
  EXPECT_EQ(fits("h-0", "n"), 0);
  statement().rollback();
  EXPECT_EQ(fits("h-0", "n"), 1);
  for (int round = 0; round < 3; ++round) {
    statement().evict(world.pod_id("v-0"), GangId());
    statement().commit("reclaim");
    open();
    EXPECT_EQ(fits("g-0", "n"), 0) << "it still runs";
  }
  world.remove_pod("v-0");
  open();
  EXPECT_EQ(fits("g-0", "n"), 1);
}

}  // namespace
}  // namespace trellis::statement_test
