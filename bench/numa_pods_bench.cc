// Very many small pods on one node with NUMA zones: a cycle that places them all.
#include <benchmark/benchmark.h>

#include <memory>
#include <string>
#include <vector>

#include "bench/world.h"
#include "framework/numa.h"
#include "plugins/numa/numa_policy.h"

namespace trellis::bench::numa_pods {
namespace {

constexpr int64_t kMi = int64_t{1} << 20;
constexpr size_t kZones = 64;
constexpr int kContainers = 3;

void add_node(Cluster& cluster, const std::string& policy, int64_t pods) {
  // Three containers of every pod, and what a zone's last pod leaves.
  int64_t cpus = (pods * kContainers / static_cast<int64_t>(kZones) + kContainers) * kMilli;
  int64_t memory = cpus / kMilli * 64 * kMi;
  std::vector<NumaZoneRecord> zones;
  for (size_t zone = 0; zone < kZones; ++zone) {
    zones.push_back({"node-" + std::to_string(zone),
                     {{kCpu, cpus, cpus, cpus}, {kMemory, memory, memory, memory}},
                     {}});
  }
  Node node;
  node.name = "n";
  node.allocatable.set(kCpu, cpus * static_cast<int64_t>(kZones));
  node.allocatable.set(kMemory, memory * static_cast<int64_t>(kZones));
  node.allocatable.set(kPods, pods);
  node.numa =
      SharedValue(make_numa_topology({{}, {{std::string(kPolicyAttribute), policy}}}, zones));
  cluster.upsert(std::move(node));
}

void add_pods(Cluster& cluster, int64_t pods) {
  StringTable& strings = cluster.vocabulary().strings;
  std::vector<ResourceAmount> asked = {{kCpu, kMilli}, {kMemory, 64 * kMi}};
  for (int64_t i = 0; i < pods; ++i) {
    Pod pod;
    pod.name_space = strings.intern("default");
    pod.name = "p" + std::to_string(100'000 + i);
    pod.gang = strings.intern("default/" + pod.name);
    PodSpec spec;
    PodDemand demand{Qos::Guaranteed, {}, {}, {}, {}};
    for (int c = 0; c < kContainers; ++c) demand.containers.push_back({ContainerKind::App, asked});
    for (const ResourceAmount& item : asked) {
      spec.requests.set(item.resource, item.amount * kContainers);
    }
    spec.requests.set(kPods, 1);
    spec.demand = SharedValue(demand);
    cluster.upsert(std::move(pod), std::move(spec));
  }
}

void time_pods(benchmark::State& state, const std::string& policy) {
  int64_t pods = state.range(0);
  for (auto _ : state) {
    state.PauseTiming();
    auto world = std::make_unique<World>();
    add_node(world->cluster(), policy, pods);
    add_pods(world->cluster(), pods);
    state.ResumeTiming();
    auto record = world->scheduler().run_cycle(0);
    state.PauseTiming();
    if (record->decisions.size() != static_cast<size_t>(pods)) {
      state.SkipWithError("a pod finds no place");
    }
    world.reset();
    state.ResumeTiming();
  }
}

BENCHMARK_CAPTURE(time_pods, restricted, "restricted")
    ->Name("NumaPods/restricted")
    ->Arg(100)
    ->Arg(1'000)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(time_pods, single, "single-numa-node")
    ->Name("NumaPods/single-numa-node")
    ->Arg(100)
    ->Arg(1'000)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(time_pods, best_effort, "best-effort")
    ->Name("NumaPods/best-effort")
    ->Arg(100)
    ->Arg(1'000)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace trellis::bench::numa_pods
