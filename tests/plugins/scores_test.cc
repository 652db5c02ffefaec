// The plugins that score nodes, and how their orders of magnitude add up.

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "plugins/scores/score_magnitudes.h"
#include "session/explain/pod_explanation.h"
#include "tests/support/world.h"

namespace trellis::scores_test {
namespace {

// The plugin's own figures by node, for a pod that is not placed yet.
std::map<std::string, double> scores(World& world, const std::string& plugin,
                                     const std::string& pod) {
  std::map<std::string, double> found;
  for (const NodeJudgement& judgement : explain_pod(world.scheduler(), world.pod_id(pod)).nodes) {
    for (const auto& [name, score] : judgement.scores) {
      if (name == plugin) found[world.cluster.nodes()[judgement.node].name] = score;
    }
  }
  return found;
}

std::string chosen(World& world, const PodArgs& pod) {
  world.gang("g", {.count = 1, .pod = pod});
  world.cycle();
  return world.node_of("g-0");
}

TEST(NodePlacement, BinpackTakesTheFullest) {
  World world;
  world.node("empty", {.cpu = 8});
  world.node("used", {.cpu = 8});
  world.gang("old", {.min_member = 1});
  world.pod("old-0", "old", {.cpu = 4, .node = "used"});
  EXPECT_EQ(chosen(world, {.cpu = 1}), "used");
}

TEST(NodePlacement, SpreadTakesTheEmptiest) {
  World world;
  world.config.placement_strategy.cpu = Strategy::Spread;
  world.node("used", {.cpu = 16});
  world.node("yet-empty", {.cpu = 8});
  world.gang("old", {.min_member = 1});
  world.pod("old-0", "old", {.cpu = 4, .node = "used"});
  EXPECT_EQ(chosen(world, {.cpu = 1}), "yet-empty");  // by share, not by amount
}

TEST(NodePlacement, GpusAndCpusHaveStrategiesOfTheirOwn) {
  auto world_with = [](World& world) {
    world.config.placement_strategy.gpu = Strategy::Spread;
    world.node("few", {.cpu = 4, .gpu = 4});
    world.node("used", {.cpu = 2, .gpu = 4});
    world.gang("old", {.min_member = 1});
    world.pod("old-0", "old", {.cpu = 1, .gpu = 2, .node = "used"});
  };
  World gpu;
  world_with(gpu);
  EXPECT_EQ(chosen(gpu, {.cpu = 1, .gpu = 1}), "few");
  World share;
  world_with(share);
  EXPECT_EQ(chosen(share, {.cpu = 1, .share = {.milli = 500}}), "few");
  World cpu;
  world_with(cpu);
  EXPECT_EQ(chosen(cpu, {.cpu = 1}), "used");
}

TEST(NodePlacement, AmdGpusCountToo) {
  World world;
  world.node("a-roomy", {.amd_gpu = 8});
  world.node("b-tight", {.amd_gpu = 2});
  EXPECT_EQ(chosen(world, {.cpu = 1, .amd_gpu = 1}), "b-tight");
}

TEST(NodePlacement, TiesGoByName) {
  World world;
  for (const char* name : {"c", "a", "b"}) world.node(name);
  EXPECT_EQ(chosen(world, {.cpu = 1}), "a");
}

TEST(NodePlacement, StaysBelowItsMagnitude) {
  for (Strategy strategy : {Strategy::Binpack, Strategy::Spread}) {
    World world;
    world.config.placement_strategy = {strategy, strategy, Strategy::Binpack};
    world.node("tiny", {.cpu = 0.001, .gpu = 1});
    world.node("small", {.cpu = 1, .gpu = 1});
    world.node("huge", {.cpu = 1'000'000, .gpu = 2000});
    world.gang("g", {.min_member = 1});
    world.pod("cpu", "g", {.cpu = 1});
    world.pod("gpu", "g", {.gpu = 1});
    for (const char* pod : {"cpu", "gpu"}) {
      for (const auto& [node, score] : scores(world, "nodeplacement", pod)) {
        EXPECT_GE(score, 0) << node << " " << pod;
        EXPECT_LE(score, kDensityScore) << node << " " << pod;
      }
    }
  }
}

TEST(ResourceType, CpuPodsKeepOffGpuNodes) {
  World world;
  world.node("a-gpu", {.cpu = 2, .gpu = 1});
  world.node("b-amd", {.cpu = 2, .amd_gpu = 1});
  world.node("c-plain", {.cpu = 64});
  EXPECT_EQ(chosen(world, {.cpu = 1}), "c-plain");
  auto figures = scores(world, "resourcetype", "g-0");
  EXPECT_EQ(figures["a-gpu"], 0);
  EXPECT_EQ(figures["b-amd"], 0);
  EXPECT_EQ(figures["c-plain"], kResourceTypeScore);
  World only_gpus;
  only_gpus.node("a-gpu", {.gpu = 1});
  EXPECT_EQ(chosen(only_gpus, {.cpu = 1}), "a-gpu");
}

TEST(NodeAvailability, NowBeforeLater) {
  World world;
  world.node("a-later", {.cpu = 4});
  world.node("b-now", {.cpu = 64});
  world.gang("old", {.min_member = 1});
  world.pod("old-0", "old", {.cpu = 4, .node = "a-later", .status = PodStatus::Releasing});
  EXPECT_EQ(chosen(world, {.cpu = 1}), "b-now");
  EXPECT_EQ(world.status_of("g-0"), PodStatus::Bound);
  auto figures = scores(world, "nodeavailability", "g-0");
  EXPECT_EQ(figures["a-later"], 0);
  EXPECT_EQ(figures["b-now"], kAvailabilityScore);
}

TEST(NodeAffinity, ShareOfTheWeights) {
  World world;
  world.node("both", {.labels = {{"zone", "a"}, {"disk", "ssd"}}});
  world.node("one", {.labels = {{"zone", "a"}}});
  world.node("none");
  PodArgs pod{.preferred = {{30, {.labels = {{"zone", SelectorOp::In, {"a"}}}}},
                            {10, {.labels = {{"disk", SelectorOp::Exists, {}}}}}}};
  EXPECT_EQ(chosen(world, pod), "both");
  auto figures = scores(world, "nodeaffinity", "g-0");
  EXPECT_DOUBLE_EQ(figures["both"], 100);
  EXPECT_DOUBLE_EQ(figures["one"], 75);
  EXPECT_DOUBLE_EQ(figures["none"], 0);
}

TEST(NodeAffinity, PreferredFieldsCount) {
  World world;
  for (const char* name : {"a", "b", "c"}) world.node(name);
  PodArgs pod{.preferred = {{1, {.fields = {{"metadata.name", SelectorOp::In, {"b"}}}}}}};
  EXPECT_EQ(chosen(world, pod), "b");
  World mixed;
  mixed.node("a", {.labels = {{"zone", "x"}}});
  mixed.node("b", {.labels = {{"zone", "x"}}});
  PodArgs both{.preferred = {{1,
                              {.labels = {{"zone", SelectorOp::In, {"x"}}},
                               .fields = {{"metadata.name", SelectorOp::NotIn, {"a"}}}}}}};
  EXPECT_EQ(chosen(mixed, both), "b");
}

// Weights that a reader should have refused must not poison the order.
TEST(NodeAffinity, WeightsOfNothing) {
  World world;
  world.node("a", {.cpu = 64});
  world.node("b", {.cpu = 2, .labels = {{"zone", "x"}}});
  PodArgs pod{.preferred = {{0, {.labels = {{"zone", SelectorOp::In, {"x"}}}}}}};
  EXPECT_EQ(chosen(world, pod), "b");  // as without a preference: the tighter
}

TEST(Scores, OrdersOfMagnitude) {
  // Kubernetes' preference before sharing, before availability, before density.
  World world;
  world.node("a-shared", {.gpu = 1});
  world.node("b-wanted", {.gpu = 8, .labels = {{"zone", "x"}}});
  world.gang("old", {.min_member = 1});
  world.pod("old-0", "old", {.share = {.milli = 500}, .node = "a-shared", .gpu_groups = {"0"}});
  PodArgs pod{.share = {.milli = 500},
              .preferred = {{1, {.labels = {{"zone", SelectorOp::In, {"x"}}}}}}};
  EXPECT_EQ(chosen(world, pod), "b-wanted");
  World plain;
  plain.node("a-tight", {.gpu = 1});
  plain.node("b-shared", {.gpu = 8});
  plain.gang("old", {.min_member = 1});
  plain.pod("old-0", "old", {.share = {.milli = 500}, .node = "b-shared", .gpu_groups = {"0"}});
  EXPECT_EQ(chosen(plain, {.share = {.milli = 500}}), "b-shared");
}

TEST(Scores, WeightsMultiply) {
  World world;
  world.config.plugins["resourcetype"].weight = 0;
  world.config.plugins["nodeplacement"].weight = -1;
  world.node("a-tight", {.cpu = 2});
  world.node("b-roomy", {.cpu = 64, .gpu = 1});
  EXPECT_EQ(chosen(world, {.cpu = 1}), "b-roomy");
}

}  // namespace
}  // namespace trellis::scores_test
