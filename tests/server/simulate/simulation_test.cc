#include "server/simulate/simulation.h"

#include <gtest/gtest.h>

#include "server/manifest/manifest.h"
#include "server/simulate/figures.h"
#include "server/simulate/read_trace.h"
#include "server/simulate/simulation_output.h"
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

using Keep = std::function<void(const Simulation&, size_t)>;

// `checkpoint`: where it goes on; "": at the beginning. `wrong`: what restore() said.
Simulated simulate(const std::string& trace, std::vector<TimedChange> changes = {}, Keep keep = {},
                   const std::string& checkpoint = "", std::string* wrong = nullptr) {
  Engine engine((Config()));
  Manifest manifest = read_manifest_text("in.yaml", kTwoNodes, engine.vocabulary());
  engine.cluster().add(std::move(manifest.objects));
  auto gangs = read_trace("t.csv", trace, TraceFormat::Columns);
  EXPECT_TRUE(gangs) << gangs.error().message;
  auto source = TracedSource::make(*gangs, 0, engine.cluster());
  EXPECT_TRUE(source) << source.error().message;
  Simulation simulation(engine, *source, 0, {.changes = changes, .progress = std::move(keep)});
  std::string said = checkpoint.empty() ? "" : simulation.restore(checkpoint);
  if (wrong != nullptr) *wrong = said;
  Simulated done;
  if (!said.empty()) return done;
  done.result = simulation.run();
  done.figures = figures_of(done.result);
  return done;
}

std::string restored(const std::string& trace, const std::string& checkpoint) {
  std::string wrong;
  simulate(trace, {}, {}, checkpoint, &wrong);
  return wrong;
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

TEST(Simulation, GoesOnFromACheckpoint) {
  const std::string trace =
      "name,arrival,duration,gpus,priority\n"
      "a,0,100,16,50\nb,10,50,8,50\nc,40,10,16,90\nd,45,7.5,0.5,50\ne,200,5,4,50\n";
  Simulated whole = simulate(trace);
  for (int64_t cycles = 1; cycles <= whole.result.cycles; ++cycles) {
    std::string text;
    auto keep = [&](const Simulation& simulation, size_t) {
      if (--cycles == 0) text = simulation.checkpoint();
    };
    int64_t kept = cycles;
    simulate(trace, {}, keep);
    cycles = kept;
    Simulated rest = simulate(trace, {}, {}, text);
    StringSink expected;
    StringSink found;
    write_gangs(expected, std::vector<SimulatedConfiguration>{{whole.result, whole.figures}});
    write_gangs(found, std::vector<SimulatedConfiguration>{{rest.result, rest.figures}});
    write_series(expected, std::vector<SimulatedConfiguration>{{whole.result, whole.figures}});
    write_series(found, std::vector<SimulatedConfiguration>{{rest.result, rest.figures}});
    EXPECT_EQ(found.text(), expected.text()) << "after cycle " << cycles;
    EXPECT_EQ(rest.figures.gpu_utilization, whole.figures.gpu_utilization);
  }
}

TEST(Simulation, RefusesTheCheckpointOfAnother) {
  std::string text;
  auto keep = [&](const Simulation& simulation, size_t) { text = simulation.checkpoint(); };
  simulate("name,arrival,duration,gpus\na,0,10,8\n", {}, keep);
  EXPECT_EQ(restored("name,arrival,duration,gpus\nb,0,10,8\n", text).substr(0, 27),
            "it is of another simulation");
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
