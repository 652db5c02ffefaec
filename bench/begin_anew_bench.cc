// A live cluster that begins anew from its texts, once most of its names may be of what is gone.
#include <benchmark/benchmark.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/live_texts.h"
#include "server/serve/cycle_runner.h"
#include "server/serve/linked_reading.h"
#include "server/serve/observer.h"

namespace trellis::bench {
namespace {

constexpr TimeUs kNow = 1'767'268'800 * kSecondUs;

class LiveSource : public ObjectSource {
 public:
  explicit LiveSource(int nodes) { reading_.note(live_texts(nodes)); }

  std::optional<SourceUpdate> poll(Vocabulary& vocabulary) override {
    if (!reading_.has_everything()) return std::nullopt;
    return reading_.read(LinkedReading::Extent::Everything, vocabulary);
  }
  std::optional<ObjectDiff> read_anew(Vocabulary& vocabulary) override {
    return all_staying(reading_.read_anew(vocabulary));
  }
  bool ready() const override { return true; }
  void set_zones(Zones zones) override { reading_.set_zones(zones); }
  void set_scheduler_names(std::vector<std::string> names) override {
    reading_.set_scheduler_names(std::move(names));
  }
  Decisions decisions() const override { return Decisions::AreShown; }
  int64_t files_read() const override { return 0; }

 private:
  LinkedReading reading_;
};

// Until the next cycle may run: nothing is decided meanwhile.
void BeginAnew(benchmark::State& state) {
  int nodes = static_cast<int>(state.range(0));
  CycleRunner runner(std::make_unique<LiveSource>(nodes), Config());
  runner.poll();
  runner.run(kNow);
  runner.take_input();
  for (auto _ : state) {
    if (!runner.begin_anew()) state.SkipWithError("the source cannot be read anew");
  }
  if (runner.engine().cluster().pods().size() != static_cast<size_t>(nodes * kPodsANode)) {
    state.SkipWithError("not all pods");
  }
}
BENCHMARK(BeginAnew)->ArgName("nodes")->Arg(1'000)->Arg(5'000)->Unit(benchmark::kMillisecond);

// What follows it, on the thread of whoever looks: its cluster, anew as well.
void BeginAnewFollowed(benchmark::State& state) {
  int nodes = static_cast<int>(state.range(0));
  CycleRunner runner(std::make_unique<LiveSource>(nodes), Config());
  Observer observer{Config()};
  runner.poll();
  std::shared_ptr<const FinishedCycle> cycle = runner.run(kNow);
  observer.publish(std::move(cycle), runner.take_input());
  for (auto _ : state) {
    state.PauseTiming();
    runner.begin_anew();
    cycle = runner.run(kNow);
    CycleInput input = runner.take_input();
    state.ResumeTiming();
    observer.publish(std::move(cycle), std::move(input));
    size_t pods = 0;
    observer.ask([&](const Observer::View& view) { pods = view.engine.cluster().pods().size(); });
    if (pods != static_cast<size_t>(nodes * kPodsANode)) state.SkipWithError("not all pods");
  }
}
BENCHMARK(BeginAnewFollowed)
    ->ArgName("nodes")
    ->Arg(1'000)
    ->Arg(5'000)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace trellis::bench
