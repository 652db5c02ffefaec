#include "server/simulate/simulation.h"

#include <gtest/gtest.h>

#include "server/manifest/manifest.h"
#include "server/simulate/figures.h"
#include "server/simulate/read_trace.h"
#include "server/simulate/traced_source.h"

namespace trellis::simulation_test {
namespace {

constexpr const char* kTwoNodes = R"(
apiVersion: v1
kind: Node
metadata: {name: n1}
status: {allocatable: {cpu: "64", memory: 512Gi, pods: "110", nvidia.com/gpu: "8"}}
---
apiVersion: v1
kind: Node
metadata: {name: n2}
status: {allocatable: {cpu: "64", memory: 512Gi, pods: "110", nvidia.com/gpu: "8"}}
)";

struct Simulated {
  SimulationResult result;
  SimulationFigures figures;
};

Simulated simulate(const std::string& trace, std::vector<TimedChange> changes = {}) {
  Engine engine((Config()));
  Manifest manifest = read_manifest_text("in.yaml", kTwoNodes, engine.vocabulary());
  engine.cluster().add(std::move(manifest.objects));
  auto gangs = read_trace("t.csv", trace, TraceFormat::Columns);
  EXPECT_TRUE(gangs) << gangs.error().message;
  auto source = TracedSource::make(*gangs, 0, engine.cluster());
  EXPECT_TRUE(source) << source.error().message;
  Simulated done;
  done.result = Simulation(engine, *source, 0, {.changes = changes}).run();
  done.figures = figures_of(done.result);
  return done;
}

TEST(Simulation, GangsWaitForRoomAndEnd) {
  Simulated done = simulate(
      "name,arrival,duration,gpus\n"
      "a,0,100,16\n"
      "b,10,50,8\n"
      "c,10,50,4\n");
  const std::vector<GangResult>& gangs = done.result.gangs;
  EXPECT_EQ(gangs[0].first_start, 0);
  EXPECT_EQ(gangs[0].end, 100 * kSecondUs);
  EXPECT_EQ(gangs[0].domains, (std::vector<std::string>{"n1", "n2"}));
  EXPECT_EQ(gangs[1].first_start, 100 * kSecondUs);
  EXPECT_EQ(gangs[1].end, 150 * kSecondUs);
  EXPECT_EQ(gangs[2].end, 150 * kSecondUs);
  EXPECT_EQ(done.figures.all.finished, 3);
  EXPECT_EQ(done.figures.makespan_seconds, 150);
  EXPECT_NEAR(done.figures.all.wait_seconds.mean, 60, 1e-9);
  EXPECT_EQ(done.figures.all.wait_seconds.p50, 90);
  // 16 GPUs for 100 seconds and 12 for 50, of 16 for 150.
  EXPECT_NEAR(done.figures.gpu_utilization, (1600.0 + 600.0) / 2400.0, 1e-9);
}

TEST(Simulation, WhatNeverFitsDoesNotEnd) {
  Simulated done = simulate("name,arrival,duration,gpus\na,0,10,32\nb,5,10,8\n");
  EXPECT_EQ(done.result.gangs[0].first_start, kNoTime);
  EXPECT_EQ(done.result.gangs[0].end, kNoTime);
  EXPECT_EQ(done.result.gangs[1].end, 15 * kSecondUs);
  EXPECT_EQ(done.figures.all.finished, 1);
}

TEST(Simulation, PriorityEvictsAndTheLostRunBeginsAgain) {
  Simulated done = simulate(
      "name,arrival,duration,gpus,priority\n"
      "low,0,100,16,50\n"
      "high,40,10,16,90\n");
  const GangResult& low = done.result.gangs[0];
  const GangResult& high = done.result.gangs[1];
  EXPECT_EQ(low.evictions, 1);
  EXPECT_EQ(low.lost_gpu_seconds, 16 * 40);
  EXPECT_EQ(high.first_start, 41 * kSecondUs);  // a period after its victims began to leave
  EXPECT_EQ(high.end, 51 * kSecondUs);
  EXPECT_EQ(low.end, 151 * kSecondUs);
}

TEST(Simulation, GangsOfAFailedNodeBeginAgain) {
  TimedChange fails{.at = 30 * kSecondUs};
  Node node;
  node.name = "n1";
  node.ready = false;
  node.allocatable.set(kPods, 110);
  fails.changes.upserts.nodes.push_back(node);
  Simulated done = simulate("name,arrival,duration,gpus\na,0,100,8\nb,0,100,8\n", {fails});
  int32_t evictions = done.result.gangs[0].evictions + done.result.gangs[1].evictions;
  EXPECT_EQ(evictions, 1);
  EXPECT_EQ(done.figures.makespan_seconds, 200);
}

TEST(Simulation, GangsAreDividedIntoEqualPods) {
  Simulated done = simulate("name,arrival,duration,gpus\na,0,10,12\n");
  EXPECT_EQ(done.result.gangs[0].domains.size(), 2U);
  EXPECT_EQ(done.result.gangs[0].fewest_domains, 2);
}

TEST(Figures, PercentilesAreValuesThatOccur) {
  SimulationResult result;
  for (int i = 1; i <= 100; ++i) {
    GangResult gang;
    gang.first_start = i * kSecondUs;
    gang.end = gang.first_start + kSecondUs;
    gang.duration = kSecondUs;
    result.gangs.push_back(gang);
  }
  SimulationFigures figures = figures_of(result);
  EXPECT_EQ(figures.all.wait_seconds.p50, 50);
  EXPECT_EQ(figures.all.wait_seconds.p95, 95);
  EXPECT_EQ(figures.all.wait_seconds.p99, 99);
  EXPECT_EQ(figures.all.bounded_slowdown.p50, 5.1);
}

}  // namespace
}  // namespace trellis::simulation_test
