// Whole cycles.
#include <benchmark/benchmark.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "bench/world.h"
#include "server/engine/engine.h"
#include "server/manifest/manifest.h"
#include "tests/support/hall.h"

namespace trellis::bench::cycle {
namespace {

// Nothing changed, nothing waits that could be placed: the record is not rewritten.
void IdleCycle(benchmark::State& state) {
  World world;
  make_hall(world.cluster(), state.range(0));
  world.add_gang({.count = 19, .gpus = 4, .required = "rack"});
  std::shared_ptr<const CycleRecord> record = world.scheduler().run_cycle(0);
  if (world.scheduler().run_cycle(1) != record) state.SkipWithError("the record was rewritten");
  for (auto _ : state) benchmark::DoNotOptimize(world.scheduler().run_cycle(2));
  report_per_node(state, world.cluster().nodes().size());
}
BENCHMARK(IdleCycle)->Apply(hall_sizes);

// The whole trace of 1,523 nodes and 8,152 pods where it is at hand (TRELLIS_OPENB names its
// folder), else the cut that the project carries; the counters say which.
std::vector<std::string> openb_files() {
  const char* folder = std::getenv("TRELLIS_OPENB");
  std::string path = folder != nullptr ? folder : TRELLIS_SOURCE_DIR "/../shared/data/openb";
  if (!std::filesystem::exists(path + "/pods.jsonl")) path = TRELLIS_SOURCE_DIR "/examples/openb";
  return {path + "/nodes.jsonl", path + "/pods.jsonl"};
}

// Reading, one cycle, the record: all that `trellis schedule` does but printing.
[[gnu::noinline]] std::shared_ptr<const CycleRecord> read_and_schedule(
    const std::vector<std::string>& files) {
  Engine engine{Config()};
  Manifest manifest = read_manifest(files, engine.vocabulary());
  engine.cluster().add(std::move(manifest.objects));
  return engine.run(0, 1);
}

void Openb(benchmark::State& state) {
  std::vector<std::string> files = openb_files();
  int64_t bound = 0;
  std::shared_ptr<const CycleRecord> record = read_and_schedule(files);
  size_t nodes = record->nodes.size();
  for (const PodOutcome& pod : record->pods) bound += pod.status == PodStatus::Bound ? 1 : 0;
  // Of either input more than nine pods in ten find a place, or four in five of the cut.
  if (nodes == 0 || bound < (nodes > 1'000 ? 7'600 : 200))
    state.SkipWithError("pods were left out");
  for (auto _ : state) benchmark::DoNotOptimize(read_and_schedule(files));
  state.counters["nodes"] = static_cast<double>(nodes);
  state.counters["bound"] = static_cast<double>(bound);
}
BENCHMARK(Openb)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace trellis::bench::cycle
