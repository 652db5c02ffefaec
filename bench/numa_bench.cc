// NUMA zones: how many pods of one class each node takes, and how well it suits them.
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "bench/world.h"
#include "framework/numa.h"
#include "plugins/numa/alignment.h"
#include "plugins/numa/numa_policy.h"
#include "plugins/numa/numa_score.h"

namespace trellis::bench::numa {
namespace {

constexpr int64_t kGi = int64_t{1} << 30;
constexpr size_t kZones = 8;

// Zones of 16 CPUs, 64 GiB and a GPU, differently full.
NumaTopology topology_of(size_t node) {
  std::vector<NumaZoneRecord> zones;
  for (size_t zone = 0; zone < kZones; ++zone) {
    auto cpus = static_cast<int64_t>(16 - (7 * node + 3 * zone) % 13) * kMilli;
    auto memory = static_cast<int64_t>(64 - 4 * ((node + 5 * zone) % 14)) * kGi;
    int64_t gpus = (node + zone) % 3 == 0 ? 0 : kMilli;
    zones.push_back({"node-" + std::to_string(zone),
                     {{kCpu, 16 * kMilli, 16 * kMilli, cpus},
                      {kMemory, 64 * kGi, 64 * kGi, memory},
                      {kGpu, kMilli, kMilli, gpus}},
                     {}});
  }
  return make_numa_topology({{}, {{std::string(kPolicyAttribute), "single-numa-node"}}}, zones);
}

void add_node(Cluster& cluster, size_t number) {
  Node node;
  node.name = "n" + std::to_string(number);
  node.allocatable.set(kCpu, 128 * kMilli);
  node.allocatable.set(kMemory, 512 * kGi);
  node.allocatable.set(kGpu, 8 * kMilli);
  node.allocatable.set(kPods, 110);
  node.numa = SharedValue(topology_of(number));
  cluster.upsert(std::move(node));
}

PodId add_pod(Cluster& cluster) {
  StringTable& strings = cluster.vocabulary().strings;
  Pod pod;
  pod.name_space = strings.intern("default");
  pod.name = "p";
  pod.gang = strings.intern("default/p");
  PodSpec spec;
  std::vector<ResourceAmount> asked = {{kCpu, 8 * kMilli}, {kMemory, 32 * kGi}, {kGpu, kMilli}};
  for (const ResourceAmount& item : asked) spec.requests.set(item.resource, item.amount);
  spec.requests.set(kPods, 1);
  spec.demand = SharedValue(PodDemand{Qos::Guaranteed, {{ContainerKind::App, asked}}, {}, {}, {}});
  return cluster.upsert(std::move(pod), std::move(spec));
}

// What scheduler-plugins says of the same nodes: 9,891 of 10,000 fit, their scores sum up to
// 56,675.
bool is_right(Session& session, PodClassId pod_class, NumaRules rules) {
  NumaOptions options;
  options.rules = rules;
  const Cluster& cluster = session.cluster();
  NumaUnits units =
      numa_units(*cluster.pod_classes()[pod_class].demand, cluster.vocabulary().resources, rules);
  int64_t fit = 0;
  int64_t sum = 0;
  for (const Node& node : cluster.nodes()) {
    NumaNode where{node.numa.get(), numa_settings(node.numa->attributes, rules), &node.allocatable,
                   node.numa->available};
    if (!align(units, where, options).fits) continue;
    ++fit;
    sum += numa_score(units, where, options);
  }
  return fit == 9'891 && sum == 56'675;
}

// Cold: no counts for the class. Warm: they are kept, and the node of the last decision has
// changed.
enum class Kept : uint8_t { Nothing, Everything };

void time_filter_and_score(benchmark::State& state, Kept kept) {
  constexpr size_t kNodes = 10'000;
  World world;
  for (size_t i = 0; i < kNodes; ++i) add_node(world.cluster(), i);
  PodId pod = add_pod(world.cluster());
  PodClassId pod_class = world.cluster().pods()[pod].pod_class;
  Session& session = world.scheduler().open(0);
  if (!is_right(session, pod_class, NumaRules::Kubelet) ||
      !is_right(session, pod_class, NumaRules::Upstream)) {
    state.SkipWithError("not the verdicts and scores of scheduler-plugins");
  }
  auto best = [&] {
    benchmark::DoNotOptimize(session.fits().total(pod_class, FitMode::Now));
    return session.fits().best_node(pod_class, FitMode::Now);
  };
  NodeId node = best();
  auto between = [&] {
    if (kept == Kept::Nothing) return session.fits().restart();
    Statement& statement = session.statement();
    auto before = statement.checkpoint();
    if (!statement.place(pod, node, FitMode::Now)) state.SkipWithError("the best node is full");
    statement.rollback(before);
  };
  Latencies().run(
      state, [&] { benchmark::DoNotOptimize(best()); }, between);
  report_per_node(state, kNodes);
}

BENCHMARK_CAPTURE(time_filter_and_score, cold, Kept::Nothing)
    ->Name("NumaFilterScore/nodes:10000")
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(time_filter_and_score, warm, Kept::Everything)
    ->Name("NumaFilterScore/nodes:10000/warm")
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace trellis::bench::numa
