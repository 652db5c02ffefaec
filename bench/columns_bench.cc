// Passes over nodes: the fit count, the tree, and what one changed node costs.
#include <benchmark/benchmark.h>

#include <vector>

#include "bench/world.h"
#include "tests/support/hall.h"

namespace trellis::bench::columns {
namespace {

// Counts of one class over all nodes, from four columns.
void FitScan(benchmark::State& state) {
  World world;
  int64_t nodes = make_hall(world.cluster(), state.range(0)).nodes;
  GangId gang = world.add_gang({.cpu_milli = 8'000, .memory_bytes = int64_t{64} << 30, .gpus = 4});
  Session& session = world.scheduler().open(0);
  const Cluster& cluster = world.cluster();
  PodClassId pod_class = cluster.pods()[cluster.pods_of(gang).front()].pod_class;
  auto total = [&] {
    session.fits().restart();
    return session.fits().total(pod_class, FitMode::Now);
  };
  if (total() != nodes) state.SkipWithError("wrong count");
  for (auto _ : state) benchmark::DoNotOptimize(total());
  report_per_node(state, static_cast<size_t>(nodes));
}
BENCHMARK(FitScan)->Apply(hall_sizes);

void TreeBuild(benchmark::State& state) {
  World world;
  make_hall(world.cluster(), state.range(0));
  const Cluster& cluster = world.cluster();
  std::vector<NodeId> nodes = cluster.nodes_by_name();
  const Topology& topology = cluster.topologies()[cluster.find_topology("hall")];
  for (auto _ : state) {
    TopologyTree tree(topology, nodes, cluster.nodes(), cluster.vocabulary().strings);
    if (tree.node_order().size() != nodes.size()) state.SkipWithError("a node is missing");
    benchmark::DoNotOptimize(tree);
  }
  report_per_node(state, nodes.size());
}
BENCHMARK(TreeBuild)->Apply(hall_sizes)->Unit(benchmark::kMicrosecond);

// A node's allocatable changes: cluster, snapshot, and the counts of one class up to the root.
void NodeChange(benchmark::State& state) {
  World world;
  make_hall(world.cluster(), state.range(0));
  Cluster& cluster = world.cluster();
  GangId gang = world.add_gang({.count = 4, .gpus = 4});
  PodClassId pod_class = cluster.pods()[cluster.pods_of(gang).front()].pod_class;
  TopologyId hall = cluster.find_topology("hall");
  NodeId node = cluster.nodes_by_name().front();
  Node record = cluster.nodes()[node];
  auto count_with = [&](int64_t cpu_milli) {
    record.allocatable.set(kCpu, cpu_milli);
    cluster.upsert(record);
    Session& session = world.scheduler().open(0);
    const DomainCounts& counts = session.fits().domain_counts(hall, pod_class, FitMode::Now);
    return counts[session.snapshot().trees()[hall].root()];
  };
  int64_t full = count_with(144'000);
  if (count_with(0) != full - 1 || count_with(144'000) != full) state.SkipWithError("wrong count");
  bool up = false;
  for (auto _ : state) {
    benchmark::DoNotOptimize(count_with(up ? 144'000 : 0));
    up = !up;
  }
  report_per_node(state, cluster.nodes().size());
}
BENCHMARK(NodeChange)->Apply(hall_sizes);

}  // namespace
}  // namespace trellis::bench::columns
