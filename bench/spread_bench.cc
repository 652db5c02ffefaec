// Dividing a service's pods by placement preferences: 4, 32 and 512 groups below 1, 2 and 3 of
// them.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "plugins/placementpreferences/service_groups.h"
#include "session/fits/fit_kernels.h"

namespace trellis::bench::spread {
namespace {

constexpr int64_t kCpu = 64'000;
constexpr int64_t kMemory = int64_t{256} << 30;
constexpr int64_t kPodLimit = 1'000;

// Nodes that are nearly empty, with columns as a snapshot holds them.
struct SpreadWorld {
  StringTable strings;
  IndexedVector<NodeId, Node> records;
  std::vector<NodeId> by_name;
  std::vector<PlacementPreference> preferences;
  std::vector<int64_t> cpu, memory, pod_slots;
  std::vector<int32_t> room, running, pods;

  SpreadWorld(int64_t nodes, int64_t levels) {
    const std::vector<std::string> labels{"dc", "row", "rack"};
    const std::vector<int64_t> groups{4, 8, 16};
    for (int64_t level = 0; level < levels; ++level) {
      PlacementPreference spread;
      spread.label = strings.intern(labels[static_cast<size_t>(level)]);
      preferences.push_back(spread);
    }
    for (int64_t i = 0; i < nodes; ++i) {
      Node node;
      node.name = "n" + std::to_string(1'000'000 + i);
      int64_t rest = i;
      for (size_t level = 0; level < preferences.size(); ++level) {
        StrId value = strings.intern("v" + std::to_string(10 + rest % groups[level]));
        node.labels.push_back({preferences[level].label, value});
        rest /= groups[level];
      }
      std::ranges::sort(node.labels);
      by_name.push_back(records.push_back(node));
      cpu.push_back(kCpu - i % 7 * 1'000);
      memory.push_back(kMemory);
      pod_slots.push_back(kPodLimit - i % 7);
      running.push_back(i % 97 == 0 ? 1 : 0);
    }
    count();
  }

  // What a cycle does for a pod class that it meets for the first time.
  void count() {
    room.assign(records.size(), kMostPodsPerNode);
    lower_to_fit(cpu, 100, room);
    lower_to_fit(memory, int64_t{256} << 20, room);
    lower_to_fit(pod_slots, 1, room);
    pods.resize(records.size());
    for (size_t i = 0; i < pods.size(); ++i) {
      pods[i] = static_cast<int32_t>(kPodLimit - pod_slots[i]);
    }
  }
  ServiceColumns columns() const { return {.room = room, .running = running, .pods = pods}; }
  ServiceNode node(NodeId id, int32_t added) const {
    size_t i = id.value;
    return {room[i] - added, running[i] + added, pods[i] + added};
  }
};

// Every level is even, and nothing is lost.
bool right(const GroupTree& tree, const ServiceGroups& groups, int64_t pods) {
  int64_t placed = 0;
  for (const NodePods& part : groups.parts()) placed += part.pods;
  bool even = placed == pods;
  for (uint32_t id = 0; id < tree.last_groups().first; ++id) {
    GroupRange children = tree.children(GroupId(id));
    int64_t least = INT64_MAX;
    int64_t most = 0;
    for (GroupId child(children.first); child.value < children.last; ++child.value) {
      int64_t total = groups.running(child) + groups.given(child);
      least = std::min(least, total);
      if (groups.given(child) > 0) most = std::max(most, total);
    }
    even = even && (groups.given(GroupId(id)) == 0 || most - least <= 1);
  }
  return even;
}

void report(benchmark::State& state, int64_t pods) {
  state.SetItemsProcessed(static_cast<int64_t>(state.iterations()) * pods);
}

// Tree and columns are current; no counts for the pod class, nothing of the service.
void cold(benchmark::State& state) {
  int64_t pods = state.range(1);
  SpreadWorld world(state.range(0), state.range(2));
  GroupTree tree(ServiceGroups::labels(world.preferences), world.by_name, world.records,
                 world.strings);
  ServiceGroups checked(tree, world.preferences, 0);
  checked.load(world.columns());
  checked.divide(pods);
  if (!right(tree, checked, pods)) state.SkipWithError("not as even as can be");
  ServiceGroups groups(tree, world.preferences, 0);
  for (auto _ : state) {
    world.count();
    groups.load(world.columns());
    groups.divide(pods);
    benchmark::DoNotOptimize(groups.parts().data());
  }
  report(state, pods);
}

// All is kept; the nodes of the decision before have changed.
void warm(benchmark::State& state) {
  int64_t pods = state.range(1);
  SpreadWorld world(state.range(0), state.range(2));
  GroupTree tree(ServiceGroups::labels(world.preferences), world.by_name, world.records,
                 world.strings);
  ServiceGroups groups(tree, world.preferences, 0);
  groups.load(world.columns());
  groups.divide(pods);
  if (!right(tree, groups, pods)) state.SkipWithError("not as even as can be");
  std::vector<NodePods> last(groups.parts().begin(), groups.parts().end());
  for (auto _ : state) {
    state.PauseTiming();
    for (const NodePods& part : last) {
      groups.change(part.node, world.node(part.node, part.pods));
    }
    state.ResumeTiming();
    for (const NodePods& part : last) groups.change(part.node, world.node(part.node, 0));
    groups.divide(pods);
    benchmark::DoNotOptimize(groups.parts().data());
  }
  if (!std::ranges::equal(last, groups.parts())) state.SkipWithError("the answer moved");
  report(state, pods);
}

void spread_sizes(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"nodes", "pods", "preferences"})->Unit(benchmark::kMicrosecond);
  for (int64_t preferences : {1, 2, 3}) {
    bench->Args({1'000, 100'000, preferences});
    bench->Args({10'000, 100'000, preferences});
    for (int64_t pods : {1'000, 100'000, 1'000'000}) bench->Args({100'000, pods, preferences});
  }
}

BENCHMARK(cold)->Name("Spread/cold")->Apply(spread_sizes);
BENCHMARK(warm)->Name("Spread/warm")->Apply(spread_sizes);

}  // namespace
}  // namespace trellis::bench::spread
