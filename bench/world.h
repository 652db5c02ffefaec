// A cluster with its scheduler, as benchmarks need it.
#pragma once

#include <benchmark/benchmark.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "bench/allocations.h"
#include "session/cluster/cluster.h"
#include "session/cycle/gang_step.h"
#include "session/cycle/scheduler.h"

namespace trellis::bench {

class World {
 public:
  explicit World(const Config& config = Config());

  Cluster& cluster() { return cluster_; }
  Scheduler& scheduler() { return scheduler_; }

  // `count` pending pods that each ask for these amounts, as one gang with minMember = count.
  struct GangShape {
    std::string name = "gang";
    int32_t count = 1;
    int64_t cpu_milli = 1000;
    int64_t memory_bytes = int64_t{1} << 30;
    int64_t gpus = 0;
    std::string required;  // level of topology "hall"
    std::string preferred;
    int32_t subgroups = 0;  // that share the pods evenly
    std::string subgroup_required;
    int32_t segment_size = 0;
    std::string segment_required;
    // Terms between its pods, over this node label; "": none.
    std::string apart;     // required anti-affinity
    std::string together;  // required affinity
    std::string spread;    // DoNotSchedule, maxSkew 1
  };
  GangId add_gang(const GangShape& shape);

  // Equal nodes without a topology.
  struct NodeShape {
    int count = 1;
    int64_t cpu_milli = 1000;
    int64_t memory_bytes = int64_t{1} << 30;
    int64_t gpus = 0;
  };
  void add_nodes(const NodeShape& shape);

 private:
  Cluster cluster_;
  Scheduler scheduler_;
};

GangId add_gang(Cluster& cluster, const World::GangShape& shape);

inline GangId World::add_gang(const GangShape& shape) { return bench::add_gang(cluster_, shape); }

// Runs what is timed between what is not, and reports the times of single runs as p50_ns and
// p99_ns, and how often the last one asked for memory. The times come from a clock of their own:
// pausing the benchmark's costs some hundred ns.
class Latencies {
 public:
  // One timed run; a function of its own, for profile.py to count by.
  template <class Run>
  [[gnu::noinline]] static void timed_run(Run& run) {
    run();
  }

  template <class Run, class Between>
  Latencies& run(benchmark::State& state, Run run, Between between) {
    for (auto _ : state) {
      int64_t asked = allocations();
      auto start = std::chrono::steady_clock::now();
      timed_run(run);
      auto took = std::chrono::steady_clock::now() - start;
      state.PauseTiming();
      allocations_ = allocations() - asked;
      nanoseconds_.push_back(std::chrono::duration_cast<std::chrono::nanoseconds>(took).count());
      between();
      state.ResumeTiming();
    }
    report(state);
    return *this;
  }

  // Of the last run, for what must do without.
  void refuse_allocations(benchmark::State& state) const {
    if (allocations_ > 0) state.SkipWithError("a warm decision asked for memory");
  }

 private:
  void report(benchmark::State& state);

  std::vector<int64_t> nanoseconds_;
  int64_t allocations_ = 0;  // of the last run
};

// Time of an iteration divided by the nodes.
void report_per_node(benchmark::State& state, size_t nodes);

// Halls from small to large.
inline void hall_sizes(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgName("nodes")->Arg(1'000)->Arg(10'000)->Arg(100'000)->Arg(1'000'000);
}

// Times warm decisions about the gang: counts kept, the last decision's nodes dirty.
// `is_right(session)`: whether the first decision is the one to expect.
template <class IsRight>
Latencies time_warm_gang(benchmark::State& state, World& world, GangId gang, IsRight is_right) {
  Session& session = world.scheduler().open(0);
  GangSearch search(session);
  auto place = [&] {
    return GangProgress(gang).next(session, search).result == GangStep::Result::Placed;
  };
  if (!place() || !is_right(session)) state.SkipWithError("not as asked");
  session.statement().rollback();
  Latencies times;
  times.run(
      state, [&] { benchmark::DoNotOptimize(place()); }, [&] { session.statement().rollback(); });
  report_per_node(state, world.cluster().nodes().size());
  return times;
}

}  // namespace trellis::bench
