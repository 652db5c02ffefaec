// Questions about quotas: 30 ClusterQueues in 5 Cohorts, 2 flavors.
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "tests/support/quota_world.h"

namespace trellis::bench::quota {
namespace {

constexpr int kQueues = 30;
constexpr int kCohorts = 5;

struct Quotas : QuotaWorld {
  PodSpec spec;
  std::vector<const PodSpec*> specs{&spec};

  Quotas() {
    flavor("main");
    flavor("spare");
    for (int i = 0; i < kQueues; ++i) {
      queue("q" + std::to_string(i), "c" + std::to_string(i % kCohorts),
            {{.flavor = "main", .nominal = 20, .borrowing = 100},
             {.flavor = "spare", .nominal = 10, .lending = 5}});
    }
    for (int i = 0; i < kCohorts; ++i) cohort("c" + std::to_string(i), "all");
    build();
  }
  FlavorAsk ask(std::span<const ResourceAmount> amounts) const {
    return {ClusterQueueId(3), WorkloadId(0), 0, specs, amounts, {}, 0};
  }
};

// An ask of both flavors; `refused`: there is no room in either.
void QuotaOptions(benchmark::State& state, bool refused) {
  Quotas world;
  if (refused) {
    for (int i = 0; i < kQueues; ++i) {
      for (const char* flavor : {"main", "spare"}) {
        world.use(ClusterQueueId(i), world.cell(flavor), 20);
      }
    }
  }
  const QuotaRules& rules = world.rules();
  std::vector<ResourceAmount> amounts = {{kCpu, 5}};
  std::vector<FlavorOption> options;
  rules.options(world.ask(amounts), options);
  if (options.size() != 2 || (options[0].mode == FlavorMode::Fit) == refused) {
    state.SkipWithError("another answer was expected");
    return;
  }
  for (auto _ : state) {
    rules.options(world.ask(amounts), options);
    benchmark::DoNotOptimize(options.data());
  }
}
BENCHMARK_CAPTURE(QuotaOptions, fits, false);
BENCHMARK_CAPTURE(QuotaOptions, refused, true);

// Eight workloads in each queue; those with an even number borrow what the others lend: no room,
// and who could leave for it has to be found out.
struct FullQuotas : Quotas {
  FullQuotas() {
    for (int i = 0; i < kQueues; ++i) {
      ClusterQueueId id(i);
      queues[id].preemption = {
          PreemptWithin::LowerPriority, ReclaimWithin::LowerPriority, false, {}};
      for (int w = 0; w < 8; ++w) {
        std::string name = "q" + std::to_string(i) + "-" + std::to_string(w);
        running(name, id, i % 2 == 0 ? 3 : 2, {.priority = w % 4, .reserved_at = w});
      }
    }
  }
};

// `victims`: others would have to leave, and may.
void QuotaPreempt(benchmark::State& state, bool victims) {
  FullQuotas world;
  WorkloadId workload = world.waiting("new", {.priority = victims ? 9 : 0});
  const QuotaRules& rules = world.rules();
  std::vector<ResourceAmount> amounts = {{kCpu, 4}};
  FlavorAsk ask = world.ask(amounts);
  ask.workload = workload;
  ask.left_out = 2;
  std::vector<FlavorOption> options;
  rules.options(ask, options);
  if (options.size() != 1 || (options[0].mode > FlavorMode::NoCandidates) != victims) {
    state.SkipWithError("another answer was expected");
    return;
  }
  for (auto _ : state) {
    rules.options(ask, options);
    benchmark::DoNotOptimize(options.data());
  }
}
BENCHMARK_CAPTURE(QuotaPreempt, none, false);
BENCHMARK_CAPTURE(QuotaPreempt, victims, true);

void QuotaAttempts(benchmark::State& state) {
  FullQuotas world;
  WorkloadId workload = world.waiting("new", {.priority = 9});
  const QuotaRules& rules = world.rules();
  std::vector<QuotaAmount> amounts = {{world.cell("main"), 4}};
  WorkloadTurn turn{workload, ClusterQueueId(3), 0, amounts, {}};
  if (rules.attempts(turn).empty()) state.SkipWithError("no workload may leave");
  for (auto _ : state) benchmark::DoNotOptimize(rules.attempts(turn));
}
BENCHMARK(QuotaAttempts);

void QuotaFits(benchmark::State& state) {
  Quotas world;
  const QuotaRules& rules = world.rules();
  std::vector<QuotaAmount> amounts = {{world.cell("main"), 5}, {world.cell("spare"), 5}};
  if (!rules.fits(ClusterQueueId(3), amounts)) state.SkipWithError("it does not fit");
  for (auto _ : state) benchmark::DoNotOptimize(rules.fits(ClusterQueueId(3), amounts));
}
BENCHMARK(QuotaFits);

// Each queue has a workload in line.
void QuotaFirst(benchmark::State& state, const std::string& fair_sharing) {
  Quotas world;
  world.config.plugins["quota"].arguments["fairSharing"] = fair_sharing;
  std::vector<QuotaAmount> amounts = {{world.cell("main"), 5}};
  std::vector<WorkloadTurn> turns;
  for (int i = 0; i < kQueues; ++i) {
    WorkloadId workload = world.waiting("w" + std::to_string(i), {.queued = 100 - i});
    turns.push_back({workload, ClusterQueueId(i), 0, amounts, {}});
    world.use(ClusterQueueId(i), world.cell("main"), 20);
  }
  world.use(ClusterQueueId(kQueues - 1), world.cell("main"), 1);
  const QuotaRules& rules = world.rules();
  size_t last = kQueues - 1;
  // Its cohort borrows more than the others; without shares it has waited longest.
  if ((rules.first(turns) == last) == (fair_sharing == "true")) {
    state.SkipWithError("another turn was expected");
    return;
  }
  for (auto _ : state) benchmark::DoNotOptimize(rules.first(turns));
}
BENCHMARK_CAPTURE(QuotaFirst, line, "false");
BENCHMARK_CAPTURE(QuotaFirst, shares, "true");

}  // namespace
}  // namespace trellis::bench::quota
