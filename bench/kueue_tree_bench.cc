// Kueue's placement over the counts of one pod class: what a decision takes in the tree alone.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <string>
#include <vector>

#include "bench/world.h"
#include "tests/support/hall.h"
#include "topology/kueue_placement.h"

namespace trellis::bench::kueue_tree {
namespace {

// The hall with room for one pod on every node, or on about half of them.
enum class Filled { Empty, Half };

struct HallCounts {
  World world;
  TopologyTree tree;
  DomainCounts counts;

  HallCounts(int64_t wanted_nodes, Filled filled) {
    Cluster& cluster = world.cluster();
    make_hall(cluster, wanted_nodes);
    std::vector<NodeId> nodes = cluster.nodes_by_name();
    const Topology& topology = cluster.topologies()[cluster.find_topology("hall")];
    tree = TopologyTree(topology, nodes, cluster.nodes(), cluster.vocabulary().strings);
    IndexedVector<NodeId, int32_t> fit(cluster.nodes().size(), 1);
    for (uint32_t i = 0; filled == Filled::Half && i < nodes.size(); ++i) {
      fit[nodes[i]] = i * 2654435761U < (1U << 31) ? 0 : 1;
    }
    counts = DomainCounts(tree, fit);
  }

  void change(const std::vector<DomainPods>& workers, int32_t delta) {
    for (const DomainPods& part : workers) {
      counts.change(tree, tree.nodes(part.domain).front(), delta);
    }
  }
};

size_t racks_of(const TopologyTree& tree, const KueueAnswer& answer) {
  std::vector<DomainId> racks;
  for (const DomainPods& part : answer.workers) racks.push_back(tree.ancestor(part.domain, 2));
  std::sort(racks.begin(), racks.end());
  return static_cast<size_t>(std::unique(racks.begin(), racks.end()) - racks.begin());
}

struct Shape {
  KueueMode mode;
  int level;
  int64_t pods;
  Filled filled;
  size_t racks;              // that it uses at most; as many as Kueue
  int64_t segment_size = 1;  // inside a rack
};

// Every second decision finds the nodes of the one before taken.
void KueueTree(benchmark::State& state, const Shape& shape) {
  HallCounts hall(state.range(0), shape.filled);
  SegmentLevel segment{2, shape.segment_size};
  KueueRequest request{.mode = shape.mode, .level = shape.level, .pods = shape.pods};
  if (shape.segment_size > 1) request.segments = {&segment, 1};
  KueueLeaves leaves{hall.counts, {}, {}, {}, DomainId()};
  KueuePlacer placer;
  const KueueAnswer& answer = placer.place(hall.tree, request, leaves);
  size_t racks = racks_of(hall.tree, answer);
  bool right = answer.placed && static_cast<int64_t>(answer.workers.size()) == shape.pods &&
               racks <= shape.racks;
  if (!right) state.SkipWithError("not as asked");

  std::vector<DomainPods> taken;
  taken.reserve(static_cast<size_t>(shape.pods));
  auto between = [&] {
    if (taken.empty()) {
      taken = answer.workers;
      hall.change(taken, -1);
    } else {
      hall.change(taken, 1);
      taken.clear();
    }
  };
  for (int i = 0; i < 4; ++i) {
    between();
    placer.place(hall.tree, request, leaves);
  }
  Latencies()
      .run(
          state, [&] { placer.place(hall.tree, request, leaves); }, between)
      .refuse_allocations(state);
  state.counters["racks"] = static_cast<double>(racks);
}
constexpr Shape kRack4{KueueMode::Required, 2, 4, Filled::Empty, 1};
constexpr Shape kRack4Half{KueueMode::Required, 2, 4, Filled::Half, 1};
constexpr Shape kBlock256{KueueMode::Preferred, 1, 256, Filled::Empty, 15};
constexpr Shape kBlock256Half{KueueMode::Preferred, 1, 256, Filled::Half, 29};
constexpr Shape kSegments256{KueueMode::Preferred, 1, 256, Filled::Empty, 16, 8};
constexpr Shape kAnywhere256{KueueMode::Unconstrained, 3, 256, Filled::Half, 29};
BENCHMARK_CAPTURE(KueueTree, rack4, kRack4)->Apply(hall_sizes);
BENCHMARK_CAPTURE(KueueTree, rack4half, kRack4Half)->Apply(hall_sizes);
BENCHMARK_CAPTURE(KueueTree, block256, kBlock256)->Apply(hall_sizes);
BENCHMARK_CAPTURE(KueueTree, block256half, kBlock256Half)->Apply(hall_sizes);
BENCHMARK_CAPTURE(KueueTree, segments256, kSegments256)->Apply(hall_sizes);
BENCHMARK_CAPTURE(KueueTree, anywhere256, kAnywhere256)->Apply(hall_sizes);

// The shape of Kueue's BenchmarkTASFlavorAssignment: 16 nodes a rack, 16 racks a block, 12 workers
// a node, 3 beside the leader, balanced placement on, racks preferred.
struct Blocks {
  TopologyTree tree;
  DomainCounts counts;
  std::vector<uint8_t> leaders;
  std::vector<int64_t> beside;

  explicit Blocks(int64_t node_count) {
    StringTable strings;
    Topology topology;
    std::vector<StrId> keys;
    for (const char* key : {"block", "rack", "kubernetes.io/hostname"}) {
      keys.push_back(strings.intern(key));
      topology.levels.push_back({keys.back(), StrId()});
    }
    std::vector<NodeId> nodes;
    IndexedVector<NodeId, Node> records;
    for (int64_t i = 0; i < node_count; ++i) {
      Node node;
      node.name = "node-" + std::to_string(i);
      node.labels = {{keys[0], strings.intern("block-" + std::to_string(i / 256))},
                     {keys[1], strings.intern("rack-" + std::to_string(i / 16))},
                     {keys[2], strings.intern(node.name)}};
      std::sort(node.labels.begin(), node.labels.end());
      nodes.push_back(records.push_back(std::move(node)));
    }
    tree = TopologyTree(topology, nodes, records, strings);
    counts = DomainCounts(tree, IndexedVector<NodeId, int32_t>(nodes.size(), 12));
    leaders.assign(nodes.size(), 1);
    beside.assign(nodes.size(), 3);
  }
};

void KueueBalanced(benchmark::State& state, int64_t leaders) {
  Blocks blocks(state.range(0));
  KueueRequest request{.mode = KueueMode::Preferred, .level = 1};
  request.pods = 9 * std::min<int64_t>(state.range(0), 256);
  request.gates.balanced = true;
  KueueLeaves leaves{blocks.counts, {}, {}, {}, DomainId()};
  if (leaders > 0) leaves.leaders = blocks.leaders, leaves.beside = blocks.beside;
  KueuePlacer placer;
  const KueueAnswer& answer = placer.place(blocks.tree, request, leaves);
  int64_t placed = 0;
  for (const DomainPods& part : answer.workers) placed += part.pods;
  if (placed != request.pods || answer.leader.valid() != (leaders > 0)) {
    state.SkipWithError("not as asked");
  }
  placer.place(blocks.tree, request, leaves);
  for (auto _ : state) benchmark::DoNotOptimize(placer.place(blocks.tree, request, leaves));
}
BENCHMARK_CAPTURE(KueueBalanced, workers, 0)
    ->ArgName("nodes")
    ->Arg(100)
    ->Arg(500)
    ->Arg(2500)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(KueueBalanced, leader, 1)
    ->ArgName("nodes")
    ->Arg(2500)
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace trellis::bench::kueue_tree
