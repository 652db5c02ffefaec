#include "session/cluster/zone_leavers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/zones.h"

namespace trellis::zone_leavers_test {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

// A node whose two zones are taken by the pods a-0 and b-0.
class FullNode : public testing::Test {
 protected:
  FullNode() : node_(world_.node("n", {.cpu = 8})) {
    test::report_zones(world_, node_, {4, 4}, {0, 0});
    a_ = test::zoned_gang(world_, "a", {.cores = 4, .node = "n", .zone = 0});
    test::zoned_gang(world_, "b", {.cores = 4, .node = "n", .zone = 1});
  }

  const std::vector<ZoneLeaver>& left() const { return world_.cluster.nodes()[node_].left; }

  void set_bound_after(uint64_t report) {
    Pod pod = world_.cluster.pods()[a_].pod;
    PodContainers containers = *pod.containers;
    containers.bound_after = report;
    pod.containers = SharedValue(containers);
    PodSpec spec = world_.cluster.pod_classes()[world_.cluster.pods()[a_].pod_class];
    world_.cluster.upsert(std::move(pod), std::move(spec));
  }

  World world_;
  NodeId node_;
  PodId a_;
};

TEST_F(FullNode, KeepsWhatAPodHeldThatWasRemoved) {
  EXPECT_THAT(left(), IsEmpty());
  world_.remove_pod("a-0");
  ASSERT_THAT(left(), SizeIs(1));
  EXPECT_EQ(left()[0].demand, *test::zone_demand(4));
  EXPECT_EQ(left()[0].zones, std::vector<std::vector<int64_t>>{{0}});
}

TEST_F(FullNode, KeepsWhatAPodHeldThatWaitsAgain) {
  world_.cluster.set_pod(a_, PodStatus::Releasing, node_, kNoTime);
  EXPECT_THAT(left(), IsEmpty());
  world_.cluster.set_pod(a_, PodStatus::Pending, NodeId(), kNoTime);
  EXPECT_THAT(left(), SizeIs(1));
  world_.cluster.set_pod(a_, PodStatus::Pending, NodeId(), kNoTime);
  EXPECT_THAT(left(), SizeIs(1));
}

TEST_F(FullNode, KeepsWhatAPodHeldThatHasFinished) {
  Pod pod = world_.cluster.pods()[a_].pod;
  pod.status = PodStatus::Succeeded;
  PodSpec spec = world_.cluster.pod_classes()[world_.cluster.pods()[a_].pod_class];
  world_.cluster.upsert(std::move(pod), std::move(spec));
  EXPECT_THAT(left(), SizeIs(1));
}

TEST_F(FullNode, TheReportDoesNotShowAPodThatWasBoundAfterIt) {
  set_bound_after(report_hash(*world_.cluster.nodes()[node_].numa));
  EXPECT_THAT(left(), IsEmpty());
  world_.remove_pod("a-0");
  EXPECT_THAT(left(), IsEmpty());
}

TEST_F(FullNode, TheNextReportEndsIt) {
  world_.remove_pod("a-0");
  Node labelled = world_.cluster.nodes()[node_];
  labelled.labels = {{world_.str("l"), world_.str("v")}};
  labelled.left.clear();
  world_.cluster.upsert(std::move(labelled));
  EXPECT_THAT(left(), SizeIs(1));
  test::report_zones(world_, node_, {4, 4}, {4, 0});
  EXPECT_THAT(left(), IsEmpty());
}

TEST_F(FullNode, AnAgentThatHasSeenAllPodsEndsIt) {
  world_.remove_pod("a-0");
  Node confirmed = world_.cluster.nodes()[node_];
  confirmed.left.clear();
  confirmed.zones = ZoneTrust::Confirmed;
  world_.cluster.upsert(std::move(confirmed));
  EXPECT_THAT(left(), IsEmpty());
}

TEST(ZoneLeavers, NothingIsKeptOfPodsWhoseZonesAreNotKnown) {
  World world;
  NodeId node = world.node("n", {.cpu = 8});
  world.node("without", {.cpu = 8});
  test::report_zones(world, node, {4, 4}, {0, 0});
  test::zoned_gang(world, "a", {.cores = 4, .node = "n"});
  test::zoned_gang(world, "b", {.cores = 4, .node = "without", .zone = 0});
  world.remove_pod("a-0");
  world.remove_pod("b-0");
  EXPECT_THAT(world.cluster.nodes()[node].left, IsEmpty());
  EXPECT_THAT(world.cluster.nodes()[world.node_id("without")].left, IsEmpty());
}

}  // namespace
}  // namespace trellis::zone_leavers_test
