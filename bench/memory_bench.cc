// What a node and a pod take, by structure, with ten pods a node: as counters, in bytes.
#include <benchmark/benchmark.h>

#include <memory>
#include <string>

#include "bench/allocations.h"
#include "bench/world.h"
#include "tests/support/hall.h"

namespace trellis::bench::memory {
namespace {

// What is held more since the last time it was asked.
class Growth {
 public:
  double per(int64_t things) {
    int64_t before = held_;
    held_ = held_bytes();
    return static_cast<double>(held_ - before) / static_cast<double>(things);
  }

 private:
  int64_t held_ = held_bytes();
};

void Memory(benchmark::State& state) {
  for (auto _ : state) {
    Growth growth;
    World world;
    growth.per(1);
    make_hall(world.cluster(), state.range(0));
    int64_t nodes = static_cast<int64_t>(world.cluster().nodes().size());
    int64_t pods = 10 * nodes;
    state.counters["node_cluster"] = growth.per(nodes);
    world.scheduler().open(0);
    state.counters["node_snapshot"] = growth.per(nodes);
    for (int64_t i = 0; i < pods / 10; ++i) {
      world.add_gang({.name = "gang-" + std::to_string(i), .count = 10});
    }
    state.counters["pod_cluster"] = growth.per(pods);
    world.scheduler().open(0);
    state.counters["pod_snapshot"] = growth.per(pods);
    std::shared_ptr<const CycleRecord> record = world.scheduler().run_cycle(0);
    state.counters["pod_cycle_and_record"] = growth.per(pods);
    if (static_cast<int64_t>(record->decisions.size()) != pods) {
      state.SkipWithError("not all placed");
    }
  }
}
BENCHMARK(Memory)->ArgName("nodes")->Arg(1'000)->Arg(100'000)->Iterations(1)->Unit(
    benchmark::kMillisecond);

}  // namespace
}  // namespace trellis::bench::memory
