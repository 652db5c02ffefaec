// Whole cycles.
#include <benchmark/benchmark.h>

#include <memory>

#include "bench/world.h"
#include "tests/support/hall.h"

namespace trellis::bench {
namespace {

// Nothing changed, nothing waits that could be placed: the record is not rewritten.
void IdleCycle(benchmark::State& state) {
  World world;
  make_hall(world.cluster(), state.range(0));
  world.add_gang({.count = 19, .gpus = 4, .required = "rack"});
  std::shared_ptr<const CycleRecord> record = world.scheduler().run_cycle(0);
  if (world.scheduler().run_cycle(1) != record) state.SkipWithError("the record was rewritten");
  for (auto _ : state) benchmark::DoNotOptimize(world.scheduler().run_cycle(2));
}
BENCHMARK(IdleCycle)->ArgName("nodes")->Arg(1'000)->Arg(10'000)->Arg(100'000);

}  // namespace
}  // namespace trellis::bench
