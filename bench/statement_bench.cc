// Checkpoint and rollback.
#include <benchmark/benchmark.h>

#include <chrono>
#include <vector>

#include "bench/world.h"
#include "tests/support/hall.h"

namespace trellis::bench::statement {
namespace {

constexpr int32_t kPods = 512;

// A statement with 512 pods placed, a pod a node.
struct Placed {
  World world;
  std::vector<PodId> pods;
  std::vector<NodeId> nodes;

  explicit Placed(int64_t size) {
    make_hall(world.cluster(), size);
    pods = world.cluster().pods_of(world.add_gang({.count = kPods, .gpus = 4}));
    world.scheduler().open(0);
    auto order = world.scheduler().session().snapshot().all_nodes().node_order();
    // Spread over the hall, as a real trial touches cold memory.
    size_t stride = order.size() / kPods;
    for (size_t i = 0; i < pods.size(); ++i) nodes.push_back(order[i * stride]);
  }

  Statement& statement() { return world.scheduler().session().statement(); }
  void place() {
    for (size_t i = 0; i < pods.size(); ++i) {
      if (!statement().place(pods[i], nodes[i], FitMode::Now)) std::abort();
    }
  }
};

void CheckpointBench(benchmark::State& state) {
  Placed placed(state.range(0));
  placed.place();
  for (auto _ : state) benchmark::DoNotOptimize(placed.statement().checkpoint());
  placed.statement().rollback();
  report_per_node(state, placed.world.cluster().nodes().size());
}
BENCHMARK(CheckpointBench)->Name("Checkpoint")->Apply(hall_sizes);

void Rollback512(benchmark::State& state) {
  Placed placed(state.range(0));
  const auto before = placed.world.scheduler().session().snapshot().state().now;
  placed.place();
  placed.statement().rollback();
  if (!(before == placed.world.scheduler().session().snapshot().state().now)) {
    state.SkipWithError("the rollback left something behind");
  }
  placed.place();
  Latencies().run(
      state, [&] { placed.statement().rollback(); }, [&] { placed.place(); });
  placed.statement().rollback();
  report_per_node(state, placed.world.cluster().nodes().size());
}
BENCHMARK(Rollback512)->Apply(hall_sizes);

}  // namespace
}  // namespace trellis::bench::statement
