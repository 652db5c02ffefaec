// placementStrategy.gpu: fragmentation, through whole cycles.

#include <gtest/gtest.h>

#include <string>

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

}  // namespace
}  // namespace trellis::fragmentation_test
