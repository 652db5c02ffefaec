#include "plugins/numa/alignment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "tests/plugins/numa/numa_world.h"

namespace trellis::alignment_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Alignment, TheLowestZoneThatHoldsAContainerTakesIt) {
  NumaWorld world;
  world.cpus({1, 4, 8});
  world.container({{kCpu, 3}});
  EXPECT_THAT(world.verdict().zones, ElementsAre(0b010));
}

TEST(Alignment, GreedyNeverGoesBack) {
  NumaWorld world;
  world.cpus({4, 2});
  world.container({{kCpu, 2}});
  world.container({{kCpu, 4}});
  EXPECT_FALSE(world.verdict().fits);
  EXPECT_EQ(world.verdict().unit, 1);
  world.options.alignment = NumaAlignment::Possible;
  EXPECT_TRUE(world.verdict().fits);
  EXPECT_THAT(world.verdict().zones, ElementsAre(0b10, 0b01));
}

TEST(Alignment, SidecarsKeepWhatTheyHave) {
  NumaWorld world;
  world.cpus({3});
  world.container({{kCpu, 2}}, ContainerKind::Sidecar);
  world.container({{kCpu, 2}});
  EXPECT_FALSE(world.verdict().fits);
  world.options.rules = NumaRules::Upstream;
  EXPECT_TRUE(world.verdict().fits);
  world.options.rules = NumaRules::Kubelet;
  world.settings.scope = NumaScope::Pod;
  EXPECT_FALSE(world.verdict().fits);
}

TEST(Alignment, ASidecarMakesRoomElsewhere) {
  NumaWorld world;
  world.cpus({4, 2});
  world.container({{kCpu, 2}}, ContainerKind::Sidecar);
  world.container({{kCpu, 4}});
  EXPECT_THAT(world.verdict().zones, ElementsAre(0b10, 0b01));
}

TEST(Alignment, InitContainersGiveBackAndDrawTheNext) {
  NumaWorld world;
  world.cpus({2, 4});
  world.container({{kCpu, 4}}, ContainerKind::Init);
  world.container({{kCpu, 2}});
  EXPECT_THAT(world.verdict().zones, ElementsAre(0b10, 0b10));
}

TEST(Alignment, BestEffortAndNoneRefuseNoPod) {
  NumaWorld world;
  world.cpus({1});
  world.container({{kCpu, 9}});
  for (NumaPolicy policy : {NumaPolicy::None, NumaPolicy::BestEffort}) {
    world.settings.policy = policy;
    EXPECT_TRUE(world.verdict().fits);
    EXPECT_THAT(world.verdict().zones, IsEmpty());
  }
}

TEST(Alignment, OnlyGuaranteedPodsAreBoundForCpuAndMemory) {
  NumaWorld world;
  world.zone("node-0", {{kCpu, 1}, {kGpu, 1}});
  world.container({{kCpu, 9}, {kMemory, 9}, {kGpu, 1}});
  world.pod.qos = Qos::Burstable;
  EXPECT_THAT(world.verdict().zones, ElementsAre(0b1));
  world.pod.qos = Qos::Guaranteed;
  EXPECT_FALSE(world.verdict().fits);
}

TEST(Alignment, ABurstablePodNeedsNoZoneWithItsResources) {
  NumaWorld world;
  world.zone("node-0", {{kGpu, 2}});
  world.container({{kCpu, 1}, {kGpu, 1}});
  world.pod.qos = Qos::Burstable;
  EXPECT_TRUE(world.verdict().fits);
  world.options.rules = NumaRules::Upstream;
  EXPECT_FALSE(world.verdict().fits);
}

TEST(Alignment, BestEffortPodsAreBoundByDevicesAlone) {
  NumaWorld world;
  world.cpus({0});
  world.pod.qos = Qos::BestEffort;
  world.container({});
  EXPECT_TRUE(world.verdict().fits);
  world.container({{world.nic, 1}});
  EXPECT_FALSE(world.verdict().fits);
  EXPECT_EQ(world.verdict().lacking, world.nic);
}

TEST(Alignment, WhatNoZoneListsIsTheNodesBusiness) {
  NumaWorld world;
  ResourceId disk = world.resources.intern("ephemeral-storage");
  ResourceId plain = world.resources.intern("gpu");
  world.cpus({4});
  world.allocatable.set(world.nic, 1);
  world.allocatable.set(plain, 1);
  world.container({{kCpu, 1}, {disk, 99}, {world.nic, 1}});
  EXPECT_TRUE(world.verdict().fits);
  world.pod.containers[0].requests.push_back({plain, 1});
  EXPECT_FALSE(world.verdict().fits);
  EXPECT_EQ(world.verdict().lacking, plain);
}

TEST(Alignment, NoZoneListsMemoryWhereItsManagerIsOff) {
  NumaWorld world;
  world.cpus({4});
  world.container({{kCpu, 1}, {kMemory, 9}, {world.pages, 2}});
  world.allocatable.set(world.pages, 4);
  EXPECT_TRUE(world.verdict().fits);
  world.options.rules = NumaRules::Upstream;
  EXPECT_FALSE(world.verdict().fits);
}

TEST(Alignment, ZonesWithOddNamesCountButForUpstream) {
  NumaWorld world;
  world.zone("numa-3", {{kCpu, 4}});
  world.zone("node-70", {{kCpu, 8}});
  world.container({{kCpu, 8}});
  EXPECT_THAT(world.verdict().zones, ElementsAre(0b10));
  world.options.rules = NumaRules::Upstream;
  EXPECT_FALSE(world.verdict().fits);
}

TEST(Alignment, RestrictedTakesTheFewestZonesThatCouldHoldIt) {
  NumaWorld world;
  world.settings.policy = NumaPolicy::Restricted;
  world.zone("node-0", {{kCpu, 2}}, {{kCpu, 4}});
  world.zone("node-1", {{kCpu, 3}}, {{kCpu, 4}});
  world.zone("node-2", {{kCpu, 4}}, {{kCpu, 4}});
  world.container({{kCpu, 6}});
  EXPECT_THAT(world.verdict().zones, ElementsAre(0b101));
  world.pod.containers[0].requests[0].amount = 4;
  EXPECT_THAT(world.verdict().zones, ElementsAre(0b100));
  world.pod.containers[0].requests[0].amount = 13;
  EXPECT_FALSE(world.verdict().fits);
}

TEST(Alignment, RestrictedWantsTheSameNumberOfZonesOfAll) {
  NumaWorld world;
  world.settings.policy = NumaPolicy::Restricted;
  world.zone("node-0", {{kCpu, 4}, {kGpu, 4}});
  world.zone("node-1", {{kCpu, 4}, {kGpu, 4}});
  world.container({{kCpu, 6}, {kGpu, 1}});
  EXPECT_FALSE(world.verdict().fits);
  world.options.rules = NumaRules::Upstream;
  EXPECT_TRUE(world.verdict().fits);
}

TEST(Alignment, RestrictedLooksFurtherThanTheLowestSet) {
  NumaWorld world;
  world.settings.policy = NumaPolicy::Restricted;
  world.cpus({4, 2});
  world.container({{kCpu, 2}});
  world.container({{kCpu, 4}});
  EXPECT_THAT(world.verdict().zones, ElementsAre(0b10, 0b01));
}

TEST(Alignment, OverheadAndPodLevelCountForTheWholePod) {
  NumaWorld world;
  world.settings.scope = NumaScope::Pod;
  world.cpus({4});
  world.container({{kCpu, 4}});
  EXPECT_TRUE(world.verdict().fits);
  world.pod.overhead = {{kCpu, 1}};
  EXPECT_FALSE(world.verdict().fits);
  world.pod.pod_level = {{kCpu, 3}};
  EXPECT_TRUE(world.verdict().fits);
  world.settings.scope = NumaScope::Container;
  EXPECT_TRUE(world.verdict().fits);
}

TEST(Alignment, ANodeWithoutZonesHoldsNothingThatMustBeInOne) {
  NumaWorld world;
  world.allocatable.set(kCpu, 8);
  world.container({{kCpu, 1}});
  EXPECT_FALSE(world.verdict().fits);
  world.pod.containers[0].requests.clear();
  EXPECT_TRUE(world.verdict().fits);
}

TEST(Alignment, TheSearchSaysWhenItGaveUp) {
  NumaWorld world;
  world.options.alignment = NumaAlignment::Possible;
  world.cpus(std::vector<int64_t>(16, 7));
  for (int64_t i = 0; i < 16; ++i) world.container({{kCpu, i % 2 == 0 ? 4 : 3}});
  world.container({{kCpu, 6}});
  for (int i = 0; i < 8; ++i) world.container({{kCpu, 6}});
  NumaVerdict verdict = world.verdict();
  EXPECT_FALSE(verdict.fits);
  EXPECT_FALSE(verdict.proved);
}

TEST(Charge, ForcedZonesAreCharged) {
  NumaWorld world;
  world.cpus({1, 4});
  world.container({{kCpu, 2}}, ContainerKind::Init);
  world.container({{kCpu, 3}});
  EXPECT_THAT(world.charged(), ElementsAre(1, 1));
}

TEST(Charge, EveryZoneIsWhereNoContainerForcesOne) {
  NumaWorld world;
  world.settings.policy = NumaPolicy::BestEffort;
  world.cpus({1, 4});
  world.container({{kCpu, 3}});
  EXPECT_THAT(world.charged(), ElementsAre(0, 1));
}

TEST(Charge, WhatIsSharedIsNotCharged) {
  NumaWorld world;
  world.zone("node-0", {{kCpu, 4}, {kGpu, 2}});
  world.container({{kCpu, 3}, {kGpu, 1}});
  world.pod.qos = Qos::Burstable;
  EXPECT_THAT(world.charged(), ElementsAre(4, 1));
}

}  // namespace
}  // namespace trellis::alignment_test
