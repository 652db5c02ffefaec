// placementStrategy.gpu: fragmentation, through whole cycles.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/support/world.h"

namespace trellis::fragmentation_test {
namespace {

struct PackedWorld : World {
  PackedWorld() { config.placement_strategy.gpu = Strategy::Fragmentation; }

  std::string chosen(const std::string& name, const PodArgs& pod) {
    gang(name, {.count = 1, .pod = pod});
    cycle();
    return node_of(name + "-0");
  }
  // Pods of an earlier time: no node holds them, but they count for the mix.
  void history(int count, const PodArgs& pod) {
    for (int i = 0; i < count; ++i) {
      std::string name = "old-" + std::to_string(pods_++);
      gang(name, {.count = 1, .pod = pod});
    }
    cycle();
    for (int i = 0; i < pods_; ++i) remove_pod("old-" + std::to_string(i) + "-0");
  }

 private:
  int pods_ = 0;
};

TEST(Fragmentation, BeforeAnythingIsKnownItPacks) {
  PackedWorld world;
  world.node("a-empty", {.cpu = 8, .gpu = 4});
  world.node("b-used", {.cpu = 8, .gpu = 4});
  world.gang("old", {.min_member = 1});
  world.pod("old-0", "old", {.cpu = 1, .gpu = 2, .node = "b-used"});
  EXPECT_EQ(world.chosen("g", {.cpu = 1, .gpu = 1}), "b-used");
}

TEST(Fragmentation, PodsWithoutGpusKeepOffNodesWithGpus) {
  PackedWorld world;
  world.node("a-gpu", {.cpu = 8, .gpu = 4});
  world.node("b-plain", {.cpu = 8});
  EXPECT_EQ(world.chosen("g", {.cpu = 5}), "b-plain");
  EXPECT_EQ(world.chosen("h", {.cpu = 5}), "a-gpu");
}

// All pods request a GPU and eight CPUs: without CPUs, free GPUs are of no use to them. So a
// pod without GPUs takes the node whose CPUs no GPU needs.
TEST(Fragmentation, PodsWithoutGpusTakeCpusThatNoGpuNeeds) {
  PackedWorld world;
  world.node("a-free", {.cpu = 64, .gpu = 8});
  world.node("b-full", {.cpu = 64, .gpu = 8});
  world.gang("now", {.min_member = 1});
  world.pod("now-0", "now", {.cpu = 1, .gpu = 8, .node = "b-full"});
  world.history(30, {.cpu = 8, .gpu = 1});
  EXPECT_EQ(world.chosen("g", {.cpu = 40}), "b-full");
}

// All pods request 60 % of a GPU. 60 % are free on one device, for the next of them; 40 % on the
// other, where nothing is lost.
TEST(Fragmentation, SharesFillGapsThatNoOtherPodFills) {
  PackedWorld world;
  world.node("a-gap", {.cpu = 64, .gpu = 1});
  world.node("b-gap", {.cpu = 64, .gpu = 1});
  world.gang("now", {.min_member = 1});
  world.pod("now-0", "now", {.cpu = 1, .share = {.milli = 400}, .node = "a-gap"});
  world.pod("now-1", "now", {.cpu = 1, .share = {.milli = 600}, .node = "b-gap"});
  world.history(30, {.cpu = 1, .share = {.milli = 600}});
  EXPECT_EQ(world.chosen("g", {.cpu = 1, .share = {.milli = 300}}), "b-gap");
}

// Most pods may run on the model "rare" only: other pods leave it to them, whatever is fuller.
TEST(Fragmentation, RareModelsAreKept) {
  PackedWorld world;
  const std::string label = "nvidia.com/gpu.product";
  world.node("a-rare", {.cpu = 64, .gpu = 2, .labels = {{label, "rare"}}});
  for (const char* name : {"b", "c", "d"}) {
    world.node(name, {.cpu = 64, .gpu = 8, .labels = {{label, "common"}}});
  }
  world.history(30, {.cpu = 8, .gpu = 1, .selector = {{label, "rare"}}});
  EXPECT_EQ(world.chosen("g", {.cpu = 8, .gpu = 1}), "b");
}

// A scheduler that continues with what another one learned learns the same from the same pods.
TEST(Fragmentation, ContinuesWithWhatWasLearned) {
  PackedWorld world;
  PackedWorld restarted;
  for (PackedWorld* one : {&world, &restarted}) {
    for (const char* name : {"a", "b"}) one->node(name, {.cpu = 512, .gpu = 64});
  }
  world.history(30, {.cpu = 8, .gpu = 1});
  world.gang("now", {.count = 5, .pod = {.cpu = 2, .share = {.milli = 500}}});
  world.cycle();
  world.pass_time();
  restarted.gang("now", {.min_member = 5});
  for (int i = 0; i < 5; ++i) {
    std::string name = "now-" + std::to_string(i);
    restarted.pod(name, "now", {.cpu = 2, .share = {.milli = 500}, .node = world.node_of(name)});
  }
  restarted.scheduler().recall(world.scheduler().learned());
  for (PackedWorld* one : {&world, &restarted}) {
    one->gang("new", {.count = 3, .pod = {.cpu = 4, .gpu = 2}});
    one->cycle();
  }
  ASSERT_NE(world.record().learned, nullptr);
  EXPECT_EQ(world.record().learned->pods, 38);
  EXPECT_EQ(*restarted.record().learned, *world.record().learned);
}

TEST(Fragmentation, APodBehindAGateHasNotArrived) {
  PackedWorld world;
  world.node("a", {.cpu = 64, .gpu = 8});
  world.gang("g", {.min_member = 1});
  world.pod("g-0", "g", {.cpu = 1, .gpu = 1, .hold = PodHold::SchedulingGates});
  world.cycle();
  EXPECT_EQ(world.scheduler().learned()->pods, 0);
  world.pod("g-0", "g", {.cpu = 1, .gpu = 1});
  world.cycle();
  world.pass_time();
  world.cycle();
  EXPECT_EQ(world.scheduler().learned()->pods, 1);
}

TEST(Fragmentation, WhoFollowsTheCyclesHasWhatTheyLearned) {
  PackedWorld world;
  PackedWorld observer;
  for (PackedWorld* one : {&world, &observer}) one->node("a", {.cpu = 512, .gpu = 64});
  for (int i = 0; i < 40; ++i) {
    std::string name = "g" + std::to_string(i);
    for (PackedWorld* one : {&world, &observer}) {
      one->gang(name, {.count = 1, .pod = {.cpu = 1.0 + i % 9, .gpu = 1}});
    }
    world.cycle();
  }
  observer.scheduler().adopt(world.scheduler().run_cycle(0));
  observer.scheduler().session();
  LearnedMix followed = *observer.scheduler().learned();
  EXPECT_EQ(followed, *world.scheduler().learned());
  EXPECT_FALSE(followed.typical.empty());
}

// All pods that will come request 60 %: the configuration says so, before any has come.
TEST(Fragmentation, TheMixCanBeGiven) {
  PackedWorld world;
  auto& arguments = world.config.plugins["fragmentation"].arguments;
  arguments = {{"mix[0].pods", "10"}, {"mix[0].gpus", "1"}, {"mix[0].gpuMilli", "600"}};
  world.node("a-gap", {.cpu = 64, .gpu = 1});
  world.node("b-gap", {.cpu = 64, .gpu = 1});
  world.gang("now", {.min_member = 1});
  world.pod("now-0", "now", {.cpu = 1, .share = {.milli = 400}, .node = "a-gap"});
  world.pod("now-1", "now", {.cpu = 1, .share = {.milli = 600}, .node = "b-gap"});
  EXPECT_EQ(world.chosen("g", {.cpu = 1, .share = {.milli = 300}}), "b-gap");
}

TEST(Fragmentation, AGivenMixTakesThePlaceOfALearnedOne) {
  PackedWorld world;
  world.node("a", {.cpu = 64, .gpu = 8});
  world.history(30, {.cpu = 8, .gpu = 1});
  PackedWorld given;
  given.node("a", {.cpu = 64, .gpu = 8});
  given.config.plugins["fragmentation"].arguments = {{"mix[0].gpus", "4"}};
  given.scheduler().recall(world.scheduler().learned());
  given.cycle();
  std::vector<TypicalPod> typical = given.record().learned->typical;
  EXPECT_TRUE(std::ranges::any_of(typical, [](const TypicalPod& pod) {
    return pod.shape.devices == 4 && pod.part > 0.9 && pod.weight > 0;
  }));
  EXPECT_TRUE(
      std::ranges::none_of(typical, [](const TypicalPod& pod) { return pod.shape.devices == 1; }));
}

}  // namespace
}  // namespace trellis::fragmentation_test
