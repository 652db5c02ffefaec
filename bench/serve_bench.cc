// What the service answers about a large cluster, once the cycle's end is ready to be asked.
#include <benchmark/benchmark.h>

#include <memory>
#include <string>
#include <vector>

#include "bench/world.h"
#include "server/debug/topology_answer.h"
#include "tests/support/hall.h"

namespace trellis::bench::serve {
namespace {

size_t occurrences(const std::string& text, const std::string& word) {
  size_t count = 0;
  for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++count;
  return count;
}

// All racks of the hall, each with what is used, free, and fits of a gang that waits.
void ask_for_racks(benchmark::State& state, const char* format) {
  Engine engine{Config()};
  Hall hall = make_hall(engine.cluster(), state.range(0));
  add_gang(engine.cluster(), {.count = 20, .gpus = 4, .required = "rack"});
  FinishedCycle cycle{.number = 1, .record = engine.run(0, 1)};
  SourceTexts texts;
  CycleView view;
  HttpRequest request{.segments = {"debug", "topology", "hall"},
                      .query = {{"level", "rack"}, {"format", format}}};
  auto ask = [&] {
    view.look_at({engine, cycle, texts});
    ++cycle.number;  // nothing is kept from the last time
    return answer_topology(view, request);
  };
  HttpResponse first = ask();
  auto racks = static_cast<size_t>(hall.racks);
  bool rows = occurrences(first.body, "{\"id\":") == racks &&
              occurrences(first.body, "\"count\":18") == racks;
  bool columns = occurrences(first.body, "\"default/gang\":[18,") == 1;
  if (first.status != 200 || (!rows && !columns)) state.SkipWithError("not all racks");
  for (auto _ : state) benchmark::DoNotOptimize(ask());
  state.counters["bytes"] = static_cast<double>(first.body.size());
}

void DebugTopology(benchmark::State& state) { ask_for_racks(state, "json"); }
BENCHMARK(DebugTopology)->Apply(hall_sizes)->Unit(benchmark::kMillisecond);

void DebugTopologyColumns(benchmark::State& state) { ask_for_racks(state, "columns"); }
BENCHMARK(DebugTopologyColumns)->Apply(hall_sizes)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace trellis::bench::serve
