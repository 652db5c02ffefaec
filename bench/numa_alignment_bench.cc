// What alignment to NUMA zones costs in GPUs: a cycle over nodes of two kinds, beside the same
// cycle that knows no zones.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "bench/world.h"
#include "framework/numa.h"
#include "plugins/numa/alignment.h"
#include "plugins/numa/numa_policy.h"
#include "tests/support/random.h"

namespace trellis::bench::numa_alignment {
namespace {

constexpr size_t kNodes = 1'000;
constexpr int64_t kGpusPerNode = 8;
constexpr int64_t kGi = int64_t{1} << 30;

struct Kind {
  size_t zones;
  int64_t cpus;  // of a zone
  int64_t gpus;
};
constexpr Kind kKinds[] = {{2, 64, 4}, {8, 24, 1}};

NumaTopology topology_of(const Kind& kind, const std::string& policy) {
  std::vector<NumaZoneRecord> zones;
  for (size_t zone = 0; zone < kind.zones; ++zone) {
    int64_t memory = 1'024 * kGi / static_cast<int64_t>(kind.zones);
    zones.push_back({"node-" + std::to_string(zone),
                     {{kCpu, kind.cpus * kMilli, kind.cpus * kMilli, kind.cpus * kMilli},
                      {kMemory, memory, memory, memory},
                      {kGpu, kind.gpus * kMilli, kind.gpus * kMilli, kind.gpus * kMilli}},
                     {}});
  }
  return make_numa_topology({{}, {{std::string(kPolicyAttribute), policy}}}, zones);
}

void add_nodes(Cluster& cluster, const std::vector<SharedValue<NumaTopology>>& kinds) {
  for (size_t i = 0; i < kNodes; ++i) {
    const Kind& kind = kKinds[i % 2];
    auto zones = static_cast<int64_t>(kind.zones);
    Node node;
    node.name = "n" + std::to_string(i);
    node.allocatable.set(kCpu, zones * kind.cpus * kMilli);
    node.allocatable.set(kMemory, 1'024 * kGi);
    node.allocatable.set(kGpu, zones * kind.gpus * kMilli);
    node.allocatable.set(kPods, 110);
    if (!kinds.empty()) node.numa = kinds[i % 2];
    cluster.upsert(std::move(node));
  }
}

// As many GPUs as there are, a quarter of them asked for by pods of each size, in any order; 16
// CPUs and 100 GiB a GPU.
enum class Demands : uint8_t { Read, Forgotten };  // as where no node has zones
void add_pods(Cluster& cluster, Demands demands) {
  std::vector<int64_t> sizes;
  for (int64_t size : {1, 2, 4, 8}) {
    sizes.insert(sizes.end(), kNodes * kGpusPerNode / 4 / static_cast<size_t>(size), size);
  }
  Random random(7);
  random.shuffle(sizes);
  StringTable& strings = cluster.vocabulary().strings;
  for (size_t i = 0; i < sizes.size(); ++i) {
    Pod pod;
    pod.name_space = strings.intern("default");
    pod.name = "p" + std::to_string(100'000 + i);
    pod.gang = strings.intern("default/" + pod.name);
    PodSpec spec;
    std::vector<ResourceAmount> asked = {
        {kCpu, sizes[i] * 16 * kMilli}, {kMemory, sizes[i] * 100 * kGi}, {kGpu, sizes[i] * kMilli}};
    for (const ResourceAmount& item : asked) spec.requests.set(item.resource, item.amount);
    spec.requests.set(kPods, 1);
    if (demands == Demands::Read) {
      spec.demand =
          SharedValue(PodDemand{Qos::Guaranteed, {{ContainerKind::App, asked}}, {}, {}, {}});
    }
    cluster.upsert(std::move(pod), std::move(spec));
  }
}

int64_t gpus_of(const Cluster& cluster, PodId pod) {
  return cluster.pod_classes()[cluster.pods()[pod].pod_class].requests.get(kGpu) / kMilli;
}

struct Placed {
  int64_t gpus = 0;
  int64_t refused = 0;  // of them: by kubelets, were the pods bound in the order of the decisions
};

Placed look_at(const Cluster& cluster, const CycleRecord& record,
               const std::vector<SharedValue<NumaTopology>>& kinds) {
  NumaOptions options;
  std::vector<std::vector<int64_t>> free(kNodes);
  for (size_t i = 0; i < kNodes; ++i) free[i] = kinds[i % 2]->available;
  Placed placed;
  for (const Decision& made : record.decisions) {
    PodId pod = made.pod;
    size_t node = made.node.value;
    const NumaTopology& zones = *kinds[node % 2];
    NumaNode where{&zones, numa_settings(zones.attributes, options.rules),
                   &cluster.nodes()[made.node].allocatable, free[node]};
    const PodSpec& spec = cluster.pod_classes()[cluster.pods()[pod].pod_class];
    NumaUnits units = numa_units(*spec.demand, cluster.vocabulary().resources, options.rules);
    NumaVerdict verdict = align(units, where, options);
    placed.gpus += gpus_of(cluster, pod);
    if (verdict.fits) {
      charge(units, where, verdict, options, free[node]);
    } else {
      placed.refused += gpus_of(cluster, pod);
    }
  }
  return placed;
}

// `known`: the zones that the scheduler knows of; none: it is blind.
Placed run(const std::vector<SharedValue<NumaTopology>>& kinds,
           const std::vector<SharedValue<NumaTopology>>& known) {
  World world;
  add_nodes(world.cluster(), known);
  add_pods(world.cluster(), Demands::Read);
  return look_at(world.cluster(), *world.scheduler().run_cycle(0), kinds);
}

void time_alignment(benchmark::State& state, const std::string& policy) {
  std::vector<SharedValue<NumaTopology>> kinds;
  for (const Kind& kind : kKinds) kinds.emplace_back(topology_of(kind, policy));
  Placed blind = run(kinds, {});
  Placed aligned = run(kinds, kinds);
  if (aligned.refused > 0) state.SkipWithError("a kubelet would refuse an aligned pod");
  if (blind.refused == 0) state.SkipWithError("nothing to align");
  for (auto _ : state) {
    state.PauseTiming();
    auto world = std::make_unique<World>();
    add_nodes(world->cluster(), kinds);
    add_pods(world->cluster(), Demands::Read);
    state.ResumeTiming();
    benchmark::DoNotOptimize(world->scheduler().run_cycle(0));
    state.PauseTiming();
    world.reset();
    state.ResumeTiming();
  }
  state.counters["gpus"] = static_cast<double>(kNodes * kGpusPerNode);
  state.counters["blind_gpus"] = static_cast<double>(blind.gpus);
  state.counters["blind_refused_gpus"] = static_cast<double>(blind.refused);
  state.counters["aligned_gpus"] = static_cast<double>(aligned.gpus);
  state.counters["lost_gpus"] = static_cast<double>(blind.gpus - aligned.gpus);
}

BENCHMARK_CAPTURE(time_alignment, restricted, "restricted")
    ->Name("NumaAlignment/restricted")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(time_alignment, single, "single-numa-node")
    ->Name("NumaAlignment/single-numa-node")
    ->Unit(benchmark::kMillisecond);

// The same cycle without zones, with the plugin and without: both take the same time.
void time_blind(benchmark::State& state, const char* plugin_off) {
  Config config;
  if (plugin_off != nullptr) config.plugins[plugin_off].enabled = false;
  for (auto _ : state) {
    state.PauseTiming();
    auto world = std::make_unique<World>(config);
    add_nodes(world->cluster(), {});
    add_pods(world->cluster(), Demands::Forgotten);
    state.ResumeTiming();
    benchmark::DoNotOptimize(world->scheduler().run_cycle(0));
    state.PauseTiming();
    world.reset();
    state.ResumeTiming();
  }
}
BENCHMARK_CAPTURE(time_blind, with_the_plugin, nullptr)
    ->Name("NumaBlind/with-the-plugin")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(time_blind, without, "numa")
    ->Name("NumaBlind/without")
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace trellis::bench::numa_alignment
