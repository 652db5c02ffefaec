#include "session/explain/gpu_report.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "tests/support/world.h"

namespace trellis::gpu_report_test {
namespace {

int64_t stranded(const GpuReport& report, StrandCause cause) {
  return report.stranded[static_cast<size_t>(cause)];
}

GpuReport report_of(World& world) { return report_gpus(world.scheduler().session()); }

TEST(GpuReport, NothingIsStrandedWithoutPodsThatRequestGpus) {
  World world;
  world.node("n1", {.cpu = 8, .gpu = 4});
  world.gang("web", {.count = 1, .pod = {.cpu = 1}});
  world.cycle();
  GpuReport report = report_of(world);
  EXPECT_EQ(report.total, 4 * kMilli);
  EXPECT_EQ(report.useful, 4 * kMilli);
  EXPECT_EQ(report.all_stranded(), 0);
  EXPECT_EQ(report.fragmentation, 0);
  EXPECT_TRUE(report.mix.empty());
}

TEST(GpuReport, FreeGpusWithoutCpusAreStrandedForWantOfCpus) {
  World world;
  world.node("n1", {.cpu = 8, .gpu = 4});
  world.gang("train", {.count = 2, .pod = {.cpu = 3, .gpu = 1}});
  world.cycle();
  GpuReport report = report_of(world);
  EXPECT_EQ(report.allocated, 2 * kMilli);
  EXPECT_EQ(report.free, 2 * kMilli);
  EXPECT_EQ(stranded(report, StrandCause::Cpu), 2 * kMilli);
  EXPECT_EQ(report.fragmentation, 1);
}

TEST(GpuReport, TooFewDevicesForAPodAreStrandedBySize) {
  World world;
  world.node("n1", {.cpu = 64, .gpu = 7});
  world.gang("train", {.count = 1, .pod = {.cpu = 1, .gpu = 4}});
  world.cycle();
  GpuReport report = report_of(world);
  EXPECT_EQ(report.free, 3 * kMilli);
  EXPECT_EQ(stranded(report, StrandCause::Size), 3 * kMilli);
}

TEST(GpuReport, PartsOfSharedGpusAreStrandedBySharing) {
  World world;
  world.node("n1", {.cpu = 64, .gpu = 1});
  world.gang("infer", {.count = 1, .pod = {.cpu = 1, .share = {.milli = 600}}});
  world.cycle();
  GpuReport report = report_of(world);
  EXPECT_EQ(report.allocated, 600);
  EXPECT_EQ(stranded(report, StrandCause::Sharing), 400);
}

TEST(GpuReport, ClosedNodesAreNotFree) {
  World world;
  world.node("n1", {.cpu = 64, .gpu = 2});
  world.node("n2", {.cpu = 64, .gpu = 8, .unschedulable = true});
  world.gang("train", {.count = 1, .pod = {.cpu = 1, .gpu = 1}});
  world.cycle();
  GpuReport report = report_of(world);
  EXPECT_EQ(report.free, kMilli);
  EXPECT_EQ(report.closed, 8 * kMilli);
  EXPECT_EQ(report.all_stranded(), 0);
}

TEST(GpuReport, DomainsThatAreTooSmallStrandByTopology) {
  World world;
  world.topology("t", {"rack"});
  world.node("n1", {.cpu = 64, .gpu = 2, .labels = {{"rack", "r1"}}});
  world.node("n2", {.cpu = 64, .gpu = 2, .labels = {{"rack", "r2"}}});
  world.node("n3", {.cpu = 64, .gpu = 2, .labels = {{"rack", "r2"}}});
  world.gang("train",
             {.count = 3, .pod = {.cpu = 1, .gpu = 1}, .topology = "t", .required = "rack"});
  world.cycle();
  GpuReport report =
      report_of(world);  // r2 has room for one more pod, r1 for two: three are needed
  EXPECT_EQ(report.free, 3 * kMilli);
  EXPECT_EQ(stranded(report, StrandCause::Topology), 3 * kMilli);
  ASSERT_EQ(report.largest.size(), 1u);
  EXPECT_EQ(report.largest[0].pods, 2);
}

TEST(GpuReport, ALevelWithoutATopologyBindsNoPod) {
  World world;
  world.topology("t", {"rack"});
  world.node("n1", {.cpu = 64, .gpu = 2, .labels = {{"rack", "r1"}}});
  world.gang("lost", {.count = 1, .pod = {.cpu = 1, .gpu = 1}, .required = "rack"});
  world.cycle();
  GpuReport report = report_of(world);
  ASSERT_EQ(report.mix.size(), 1u);
  EXPECT_FALSE(report.mix[0].classes[0].topology.valid());
}

// In random worlds: free GPUs are useful or stranded by some cause, and useful ones can be taken
// by a gang of one kind as large as the report says.
TEST(GpuReport, TheSumsHoldInRandomWorlds) {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    std::mt19937 random(seed);
    auto up_to = [&](int most) { return static_cast<int>(random() % (most + 1)); };
    World world;
    world.topology("t", {"block", "rack"});
    for (int i = 0; i < 8; ++i) {
      world.node("n" + std::to_string(i), {.cpu = 4.0 + up_to(12),
                                           .gpu = up_to(8),
                                           .labels = {{"block", "b" + std::to_string(i / 4)},
                                                      {"rack", "r" + std::to_string(i / 2)}},
                                           .unschedulable = up_to(9) == 0});
    }
    for (int i = 0; i < 6; ++i) {
      world.gang("g" + std::to_string(i),
                 {.count = 1 + up_to(3), .pod = {.cpu = 1.0 + up_to(3), .gpu = up_to(3)}});
    }
    world.cycle();
    GpuReport report = report_of(world);
    int64_t sum = std::accumulate(report.stranded.begin(), report.stranded.end(), int64_t{0});
    EXPECT_EQ(report.free, report.useful + sum) << "seed " << seed;
    EXPECT_EQ(report.total, report.allocated + report.free + report.closed) << "seed " << seed;
    EXPECT_GE(report.fragmentation, 0);
    EXPECT_LE(report.fragmentation, 1);
    for (const LargestGang& largest : report.largest) {
      EXPECT_LE(largest.gpu_milli, report.useful) << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace trellis::gpu_report_test
