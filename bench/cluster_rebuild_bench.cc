// A live cluster that is rebuilt from its texts, once most of its names may be of what is gone, and
// one that is copied to answer what a change would alter.
#include <benchmark/benchmark.h>

#include <memory>
#include <utility>

#include "bench/live_texts.h"
#include "server/compare/cycle_copy.h"
#include "server/serve/cycle_runner.h"
#include "server/serve/observer.h"
#include "tests/support/incremental_source.h"

namespace trellis::bench::cluster_rebuild {
namespace {

constexpr TimeUs kNow = 1'767'268'800 * kSecondUs;

class LiveSource : public test::IncrementalSource {
 public:
  explicit LiveSource(int nodes) : IncrementalSource(ExecutionMode::DryRun), nodes_(nodes) {}

 protected:
  Texts texts() const override {
    Texts texts;
    for (const NamedText& one : live_texts(nodes_)) texts.emplace(one.name, one.text.str());
    return texts;
  }

 private:
  int nodes_;
};

// Until the next cycle may run: nothing is decided meanwhile.
void ClusterRebuild(benchmark::State& state) {
  int nodes = static_cast<int>(state.range(0));
  CycleRunner runner(std::make_unique<LiveSource>(nodes), Config());
  runner.poll();
  runner.run(kNow);
  runner.take_input();
  for (auto _ : state) {
    if (!runner.rebuild_cluster()) state.SkipWithError("the source cannot be read again");
  }
  if (runner.engine().cluster().pods().size() != static_cast<size_t>(nodes * kPodsANode)) {
    state.SkipWithError("not all pods");
  }
}
BENCHMARK(ClusterRebuild)->ArgName("nodes")->Arg(1'000)->Arg(5'000)->Unit(benchmark::kMillisecond);

// What follows it, on the observer's thread: its cluster, rebuilt as well.
void ClusterRebuildFollowed(benchmark::State& state) {
  int nodes = static_cast<int>(state.range(0));
  CycleRunner runner(std::make_unique<LiveSource>(nodes), Config());
  Observer observer{Config()};
  runner.poll();
  std::shared_ptr<const FinishedCycle> cycle = runner.run(kNow);
  observer.publish(std::move(cycle), runner.take_input());
  for (auto _ : state) {
    state.PauseTiming();
    runner.rebuild_cluster();
    cycle = runner.run(kNow);
    CycleInput input = runner.take_input();
    state.ResumeTiming();
    observer.publish(std::move(cycle), std::move(input));
    size_t pods = 0;
    observer.ask([&](const Observer::View& view) { pods = view.engine.cluster().pods().size(); });
    if (pods != static_cast<size_t>(nodes * kPodsANode)) state.SkipWithError("not all pods");
  }
}
BENCHMARK(ClusterRebuildFollowed)
    ->ArgName("nodes")
    ->Arg(1'000)
    ->Arg(5'000)
    ->Unit(benchmark::kMillisecond);

// The copy and its cycle, without a change.
void CycleCopied(benchmark::State& state) {
  int nodes = static_cast<int>(state.range(0));
  CycleRunner runner(std::make_unique<LiveSource>(nodes), Config());
  Observer observer{Config()};
  runner.poll();
  std::shared_ptr<const FinishedCycle> cycle = runner.run(kNow);
  observer.publish(std::move(cycle), runner.take_input());
  size_t pods = 0;
  observer.ask([&](const Observer::View& view) {
    for (auto _ : state) {
      ChangedCycle copied = CycleCopy(view.engine).run(kNow);
      pods = copied.engine->cluster().pods().size();
    }
  });
  if (pods != static_cast<size_t>(nodes * kPodsANode)) state.SkipWithError("not all pods");
}
BENCHMARK(CycleCopied)->ArgName("nodes")->Arg(1'000)->Arg(5'000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace trellis::bench::cluster_rebuild
