#include "plugins/gpusharing/gpusharing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/world.h"

namespace trellis::gpusharing_test {
namespace {

using ::testing::ElementsAre;

PodArgs half(const std::string& node = "", const std::vector<std::string>& groups = {}) {
  return {.share = {.milli = 500}, .node = node, .gpu_groups = groups};
}

// A gang of one pod, named like the gang with -0.
void lone(World& world, const std::string& name, const PodArgs& pod, TimeUs created = 0) {
  world.gang(name, {.min_member = 1, .created = created});
  world.pod(name + "-0", name, pod);
}

std::string devices_of(const World& world, std::string_view pod) {
  std::string text;
  for (const GpuPart& part : world.record().pods[world.pod_id(pod)].gpus) {
    if (!text.empty()) text += " ";
    text += std::to_string(part.device) + ":" + std::to_string(part.portion_milli);
  }
  return text;
}

TEST(GpuSharing, SixteenHalvesFitOnEightGpus) {
  World world;
  world.node("n", {.gpu = 8});
  world.gang("g", {.count = 16, .pod = half()});
  world.gang("more", {.count = 1, .pod = half(), .created = 1});
  world.cycle();
  for (int i = 0; i < 16; ++i) {
    EXPECT_EQ(world.node_of("g-" + std::to_string(i)), "n") << i;
  }
  EXPECT_EQ(world.status_of("more-0"), PodStatus::Pending);
  EXPECT_EQ(world.code_of("more"), ReasonCode::NodesNoFit);
  EXPECT_EQ(world.gang_outcome("more").reasons[0].verdicts[0].code,
            ReasonCode::InsufficientGpuShare);
}

TEST(GpuSharing, BinpackTakesTheFullestThatHolds) {
  World world;
  world.node("n", {.gpu = 3});
  lone(world, "a", {.share = {.milli = 300}, .node = "n", .gpu_groups = {"1"}});
  lone(world, "b", {.share = {.milli = 600}, .node = "n", .gpu_groups = {"2"}});
  lone(world, "c", half());
  lone(world, "d", {.share = {.milli = 400}}, 1);
  world.cycle();
  EXPECT_EQ(devices_of(world, "c-0"), "1:500");
  EXPECT_EQ(devices_of(world, "d-0"), "2:400");
  EXPECT_EQ(world.record().nodes[world.node_id("n")].idle, 1);
}

// A pod that must open a device waits while a shared one comes to have room; the next one opens it.
TEST(GpuSharing, BinpackWaitsForASharedDevice) {
  for (Strategy strategy : {Strategy::Binpack, Strategy::Fragmentation, Strategy::Spread}) {
    World world;
    world.config.placement_strategy.gpu = strategy;
    world.node("n", {.gpu = 2});
    lone(world, "stays", half("n", {"0"}));
    PodArgs leaves = half("n", {"0"});
    leaves.status = PodStatus::Releasing;
    lone(world, "leaves", leaves);
    lone(world, "a", half());
    lone(world, "b", half(), 1);
    world.cycle();
    bool waits = strategy == Strategy::Binpack;
    EXPECT_EQ(world.status_of("a-0"), waits ? PodStatus::Pipelined : PodStatus::Bound);
    EXPECT_EQ(world.status_of("b-0"), PodStatus::Bound);
    EXPECT_EQ(devices_of(world, "a-0"), waits ? "0:500" : "1:500");
    EXPECT_EQ(devices_of(world, "b-0"), "1:500");
  }
}

TEST(GpuSharing, SpreadTakesTheEmptiest) {
  World world;
  world.config.placement_strategy.gpu = Strategy::Spread;
  world.node("n", {.gpu = 2});
  lone(world, "a", {.share = {.milli = 300}, .node = "n", .gpu_groups = {"0"}});
  lone(world, "b", half());
  world.cycle();
  EXPECT_EQ(devices_of(world, "b-0"), "1:500");
}

TEST(GpuSharing, MemoryDependsOnTheNode) {
  World world;
  world.node("big", {.gpu = 1, .gpu_memory_mib = 80'000});
  world.node("small", {.gpu = 1, .gpu_memory_mib = 10'000});
  world.node("unknown", {.gpu = 1});
  lone(world, "a", {.share = {.mib = 30'000}});
  lone(world, "b", {.share = {.mib = 80'001}}, 1);
  lone(world, "c", {.share = {.mib = 100}, .selector = {{"kubernetes.io/none", "x"}}}, 2);
  world.cycle();
  EXPECT_EQ(devices_of(world, "a-0"), "0:375");
  EXPECT_EQ(world.status_of("b-0"), PodStatus::Pending);
  std::vector<std::pair<ReasonCode, int64_t>> seen;
  for (const VerdictCount& count : world.gang_outcome("b").reasons[0].verdicts) {
    seen.emplace_back(count.code, count.nodes);
  }
  EXPECT_THAT(seen, ElementsAre(std::pair(ReasonCode::InsufficientGpuShare, int64_t{2}),
                                std::pair(ReasonCode::GpuMemoryUnknown, int64_t{1})));
}

TEST(GpuSharing, SeveralDevicesAreDifferentOnes) {
  World world;
  world.node("n", {.gpu = 4});
  world.gang("g", {.count = 4, .pod = {.share = {.milli = 500, .devices = 2}}});
  world.gang("more", {.count = 1, .pod = {.share = {.milli = 100, .devices = 2}}, .created = 1});
  world.cycle();
  std::vector<int64_t> used(4, 0);
  for (int i = 0; i < 4; ++i) {
    const GpuGrant& grant = world.record().pods[world.pod_id("g-" + std::to_string(i))].gpus;
    ASSERT_EQ(grant.size(), 2u);
    EXPECT_NE(grant[0].device, grant[1].device);
    for (const GpuPart& part : grant) used[static_cast<size_t>(part.device)] += part.portion_milli;
  }
  EXPECT_THAT(used, ElementsAre(1000, 1000, 1000, 1000));
  EXPECT_EQ(world.status_of("more-0"), PodStatus::Pending);
}

// Parts left are 2, 1, 1: the fullest two first would leave one device for the second pod.
TEST(GpuSharing, AChoiceOfDevicesCostsOnePodOnly) {
  World world;
  world.node("n", {.gpu = 3});
  lone(world, "a", half("n", {"1"}));
  lone(world, "b", half("n", {"2"}));
  world.gang("g", {.count = 2, .pod = {.share = {.milli = 500, .devices = 2}}, .created = 1});
  world.cycle();
  EXPECT_EQ(world.node_of("g-0"), "n");
  EXPECT_EQ(world.node_of("g-1"), "n");
}

// 700 and 600 are left. Best fit would put 400 on the 600, and one of the three 300 nowhere.
TEST(GpuSharing, PodsOfDifferentSizesTryOtherDevices) {
  World world;
  world.node("n", {.gpu = 2});
  lone(world, "a", {.share = {.milli = 300}, .node = "n", .gpu_groups = {"0"}});
  lone(world, "b", {.share = {.milli = 400}, .node = "n", .gpu_groups = {"1"}});
  world.gang("g", {.min_member = 4});
  world.pod("g-0", "g", {.share = {.milli = 400}});
  for (const char* name : {"g-1", "g-2", "g-3"}) world.pod(name, "g", {.share = {.milli = 300}});
  world.cycle();
  EXPECT_EQ(devices_of(world, "g-0"), "0:400");
  for (const char* name : {"g-0", "g-1", "g-2", "g-3"}) EXPECT_EQ(world.node_of(name), "n");
}

// Far more ways to choose devices than can be tried: the answer may be "not proved", but it comes.
TEST(GpuSharing, ManyDevicesThatAllDiffer) {
  World world;
  world.config.actions = {"allocate"};
  world.node("n", {.cpu = 1000, .memory_gib = 1000, .gpu = 64});
  for (int i = 0; i < 64; ++i) {
    lone(world, "f" + std::to_string(i),
         {.share = {.milli = 100 + 10 * i}, .node = "n", .gpu_groups = {std::to_string(i)}});
  }
  world.gang("g", {.min_member = 3});
  world.pod("g-0", "g", {.share = {.milli = 100, .devices = 32}});
  world.pod("g-1", "g", {.share = {.milli = 110, .devices = 32}});
  world.pod("g-2", "g", {.gpu = 1});
  world.gang("h", {.min_member = 2, .created = 1});
  world.pod("h-0", "h", {.share = {.milli = 100, .devices = 32}});
  world.pod("h-1", "h", {.share = {.milli = 110, .devices = 32}});
  world.cycle();
  EXPECT_EQ(world.status_of("g-0"), PodStatus::Pending);  // no device is free
  EXPECT_EQ(world.node_of("h-0"), "n");
  EXPECT_EQ(world.node_of("h-1"), "n");
}

TEST(GpuSharing, WholePodsHoldDevicesToo) {
  World world;
  world.node("n", {.gpu = 2});
  lone(world, "whole", {.gpu = 1, .node = "n"});
  world.gang("g", {.count = 2, .pod = half()});
  lone(world, "late", half(), 1);
  world.cycle();
  EXPECT_EQ(world.node_of("g-0"), "n");
  EXPECT_EQ(world.node_of("g-1"), "n");
  EXPECT_EQ(world.status_of("late-0"), PodStatus::Pending);
  EXPECT_EQ(world.record().nodes[world.node_id("n")].idle, 0);
}

// The second device is still held whole by a pod that leaves: nothing may be bound beside what was
// promised there.
TEST(GpuSharing, APromiseOnALeavingDeviceIsNotFreeNow) {
  World world;
  world.node("n", {.gpu = 2});
  lone(world, "leaving", {.gpu = 1, .node = "n", .status = PodStatus::Releasing});
  lone(world, "a", half("n", {"0"}));
  lone(world, "b", half("n", {"0"}));
  lone(world, "first", half(), 1);
  lone(world, "second", half(), 2);
  world.cycle();
  EXPECT_EQ(world.status_of("first-0"), PodStatus::Pipelined);
  EXPECT_EQ(world.status_of("second-0"), PodStatus::Pipelined);
}

// Half of the only device is free now, but all of it is promised for later.
TEST(GpuSharing, ADevicePromisedWholeIsNotFreeNow) {
  World world;
  world.node("n", {.gpu = 1});
  lone(world, "leaving",
       {.share = {.milli = 500}, .node = "n", .status = PodStatus::Releasing, .gpu_groups = {"0"}});
  lone(world, "whole", {.gpu = 1}, 1);
  lone(world, "half", half(), 2);
  world.cycle();
  EXPECT_EQ(world.status_of("whole-0"), PodStatus::Pipelined);
  EXPECT_EQ(world.status_of("half-0"), PodStatus::Pending);
}

// A device is idle while no pod holds it, whatever was promised.
TEST(GpuSharing, IdleIsWhatNoPodHolds) {
  World world;
  world.node("n", {.cpu = 2, .gpu = 1});
  lone(world, "leaving", {.cpu = 1, .node = "n", .status = PodStatus::Releasing});
  lone(world, "waits", {.cpu = 2, .share = {.milli = 500}}, 1);
  world.cycle();
  EXPECT_EQ(world.status_of("waits-0"), PodStatus::Pipelined);
  EXPECT_EQ(world.record().nodes[world.node_id("n")].idle, 1);
  EXPECT_EQ(world.record().nodes[world.node_id("n")].releasing, 0);
  lone(world, "now", {.cpu = 0, .share = {.milli = 500}}, 2);
  world.cycle();
  EXPECT_EQ(world.status_of("waits-0"), PodStatus::Pipelined);
  EXPECT_EQ(world.status_of("now-0"), PodStatus::Bound);
  EXPECT_EQ(world.record().nodes[world.node_id("n")].idle, 0);
}

TEST(GpuSharing, LeavingSharersMakeRoomLater) {
  World world;
  world.node("n", {.gpu = 1});
  lone(world, "leaving",
       {.share = {.milli = 700}, .node = "n", .status = PodStatus::Releasing, .gpu_groups = {"0"}});
  lone(world, "now", {.share = {.milli = 300}}, 1);
  lone(world, "later", half(), 2);
  world.cycle();
  EXPECT_EQ(world.status_of("now-0"), PodStatus::Bound);
  EXPECT_EQ(world.status_of("later-0"), PodStatus::Pipelined);
  EXPECT_EQ(world.record().nodes[world.node_id("n")].idle, 0);
  EXPECT_EQ(world.record().nodes[world.node_id("n")].releasing, 0);
}

TEST(GpuSharing, PodsKeepTheirDevicesBetweenCycles) {
  World world;
  world.node("n", {.gpu = 2});
  lone(world, "a", {.share = {.milli = 600}});
  lone(world, "b", half(), 1);
  world.cycle();
  EXPECT_EQ(devices_of(world, "a-0"), "0:600");
  EXPECT_EQ(devices_of(world, "b-0"), "1:500");
  world.pass_time();
  lone(world, "c", {.share = {.milli = 400}});
  lone(world, "d", half(), 1);
  world.cycle();
  EXPECT_EQ(devices_of(world, "a-0"), "0:600");
  EXPECT_EQ(devices_of(world, "c-0"), "0:400");
  EXPECT_EQ(devices_of(world, "d-0"), "1:500");
}

TEST(GpuSharing, GroupsThatAreNoNumbersStandForDevices) {
  World world;
  world.node("n", {.gpu = 2});
  lone(world, "a", half("n", {"beta"}));
  lone(world, "b", {.share = {.milli = 300}, .node = "n", .gpu_groups = {"alpha"}});
  lone(world, "c", {.share = {.milli = 200}, .node = "n", .gpu_groups = {"beta"}});
  world.cycle();
  EXPECT_EQ(devices_of(world, "a-0"), devices_of(world, "c-0").substr(0, 2) + "500");
  EXPECT_NE(devices_of(world, "a-0").substr(0, 1), devices_of(world, "b-0").substr(0, 1));
}

// A pod that asks for absurdly much memory must not wrap around.
TEST(GpuSharing, HugeMemory) {
  World world;
  world.node("n", {.gpu = 1, .gpu_memory_mib = 16'000});
  lone(world, "a", {.share = {.mib = kMaxAmount}});
  world.cycle();
  EXPECT_EQ(world.status_of("a-0"), PodStatus::Pending);
}

}  // namespace
}  // namespace trellis::gpusharing_test
