// What a change costs among a live cluster's nodes and pods, from the watch's text to what became
// of the objects.
#include <benchmark/benchmark.h>

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "bench/live_texts.h"
#include "server/sources/incremental_reading.h"

namespace trellis::bench::incremental_reading {
namespace {

struct World {
  Vocabulary vocabulary;
  IncrementalReading reading;
  int nodes;
  int pods;
  bool whole = false;  // all of it was read
  explicit World(int node_count) : World(node_count, live_texts(node_count)) {}
  World(int node_count, std::vector<NamedText> texts)
      : nodes(node_count), pods(node_count * kPodsANode) {
    reading.note(std::move(texts), vocabulary);
    SourceUpdate update = reading.read(IncrementalReading::Extent::Everything, vocabulary);
    whole = update.diff.changes.upserts.pods.size() == static_cast<size_t>(pods);
  }
};

// So many pods move: of gangs that are far from each other, and of ReplicaSets.
void ReadPart(benchmark::State& state) {
  static std::map<int, World> worlds;
  World& world =
      worlds.try_emplace(static_cast<int>(state.range(0)), static_cast<int>(state.range(0)))
          .first->second;
  int count = static_cast<int>(state.range(1));
  constexpr int kTurns = 7;
  std::vector<std::vector<NamedText>> moves(kTurns);
  for (int turn = 0; turn < kTurns; ++turn) {
    for (int i = 0; i < count; ++i) {
      moves[turn].push_back(
          live_pod(i * (world.pods / count), (i + turn) % world.nodes, world.pods));
    }
  }
  int turn = 0;
  auto read = [&] {
    turn = (turn + 1) % kTurns;
    world.reading.note(moves[turn], world.vocabulary);
    return world.reading.read(IncrementalReading::Extent::Parts, world.vocabulary);
  };
  read();
  SourceUpdate update = read();
  const ObjectChanges& changes = update.diff.changes;
  if (!world.whole || changes.upserts.pods.size() != static_cast<size_t>(count) ||
      !changes.upserts.gangs.empty() || !changes.removed.pods.empty() ||
      world.reading.extent() != IncrementalReading::Extent::Parts) {
    state.SkipWithError("not what moved");
  }
  for (auto _ : state) benchmark::DoNotOptimize(read());
}
BENCHMARK(ReadPart)
    ->ArgNames({"nodes", "moved"})
    ->Args({1'000, 1})
    ->Args({5'000, 1})
    ->Args({5'000, 100})
    ->Unit(benchmark::kMillisecond);

void ReadWhole(benchmark::State& state) {
  int nodes = static_cast<int>(state.range(0));
  const std::vector<NamedText> texts = live_texts(nodes);
  std::optional<World> world;
  for (auto _ : state) {
    world.emplace(nodes, texts);
    if (!world->whole) state.SkipWithError("not all pods");
    state.PauseTiming();
    world.reset();
    state.ResumeTiming();
  }
}
BENCHMARK(ReadWhole)->ArgName("nodes")->Arg(1'000)->Arg(5'000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace trellis::bench::incremental_reading
