// Cycles in which queues compete: the shapes of KAI-Scheduler's own benchmarks, and a rack that is
// taken back in the NVL72 hall. Timed: opening the session and the actions.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "bench/queue_world.h"
#include "bench/world.h"
#include "tests/support/hall.h"

namespace trellis::bench::queue {
namespace {

constexpr int64_t kGpusPerNode = 8;
constexpr int64_t kUnlimited = QueueShare::kUnlimited;
const std::vector<std::string> kAllActions = {"allocate", "consolidation", "reclaim", "preempt",
                                              "stalegangeviction"};

std::string node_name(int64_t index) { return "node-" + std::to_string(index); }

void add_running(QueueWorld& world, const std::string& queue, int64_t nodes) {
  for (int32_t i = 0; i < kGpusPerNode * nodes; ++i) {
    world.add_gang({.name = "running-gang-" + std::to_string(i),
                    .queue = queue,
                    .minute = i,
                    .runs = {node_name(i % nodes)}});
  }
}

// `queues` equal queues below `parents` parents, all of the cluster divided among them.
void add_queues(QueueWorld& world, int64_t nodes, int64_t queues, int64_t parents) {
  int64_t gpus = kGpusPerNode * nodes;
  for (int64_t i = 0; i < parents; ++i) {
    world.add_queue({.name = "dept-" + std::to_string(i), .parent = "", .gpus = gpus / parents});
  }
  // Two queues of four stand together below a parent, of twenty each fifth.
  for (int64_t i = 0; i < queues; ++i) {
    int64_t parent = parents == 2 ? i / 2 : i % parents;
    world.add_queue({.name = "queue-" + std::to_string(i),
                     .parent = "dept-" + std::to_string(parent),
                     .gpus = gpus / queues});
  }
}

// Two queues of which one may have nothing and the other all there is.
void add_rich_and_poor(QueueWorld& world, int64_t gpus) {
  world.add_queue({.name = "default", .parent = "", .gpus = kUnlimited});
  world.add_queue({.name = "queue-0", .parent = "default", .gpus = 0, .weight = 0});
  world.add_queue({.name = "queue-1", .parent = "default", .gpus = gpus, .weight = 0});
}

// Fails unless the first cycle, and one after it, decide what they should; then times more.
template <class IsRight>
void time_cycles_if(benchmark::State& state, QueueWorld& world, IsRight is_right) {
  for (int i = 0; i < 2; ++i) {
    QueueWorld::Counts decided = QueueWorld::count(world.run_actions());
    if (is_right(decided)) continue;
    std::string text = std::to_string(decided.bound) + " bound, " +
                       std::to_string(decided.pipelined) + " pipelined, " +
                       std::to_string(decided.evicted) + " evicted";
    state.SkipWithError(text.c_str());
    return;
  }
  for (auto _ : state) benchmark::DoNotOptimize(&world.run_actions());
}

void time_cycles(benchmark::State& state, QueueWorld& world, const QueueWorld::Counts& expected) {
  time_cycles_if(state, world,
                 [&](const QueueWorld::Counts& decided) { return decided == expected; });
}

// A: pending gangs of one pod and one GPU; there is room for all.
void AllocateAction(benchmark::State& state) {
  QueueWorld world({"allocate"});
  int64_t nodes = state.range(0);
  world.add_nodes(static_cast<int32_t>(nodes));
  add_queues(world, nodes, 4, 2);
  int32_t gangs = static_cast<int32_t>(5 * nodes);
  for (int32_t i = 0; i < gangs; ++i) {
    world.add_gang({.name = "gang-" + std::to_string(i),
                    .queue = "queue-" + std::to_string(i % 4),
                    .minute = i});
  }
  time_cycles(state, world, {.bound = gangs});
}
BENCHMARK(AllocateAction)->ArgName("nodes")->Arg(100)->Unit(benchmark::kMillisecond);

// B: the same with 20 queues.
void ManyQueues(benchmark::State& state) {
  QueueWorld world({"allocate"});
  int64_t nodes = state.range(0);
  world.add_nodes(static_cast<int32_t>(nodes));
  add_queues(world, nodes, 20, 5);
  int32_t gangs = static_cast<int32_t>(4 * nodes);
  for (int32_t i = 0; i < gangs; ++i) {
    world.add_gang({.name = "gang-" + std::to_string(i),
                    .queue = "queue-" + std::to_string(i % 20),
                    .minute = i});
  }
  time_cycles(state, world, {.bound = gangs});
}
BENCHMARK(ManyQueues)->ArgName("nodes")->Arg(50)->Unit(benchmark::kMillisecond);

// C: gangs of four pods that fill the cluster exactly.
void GangScheduling(benchmark::State& state) {
  QueueWorld world({"allocate"});
  int64_t nodes = state.range(0);
  world.add_nodes(static_cast<int32_t>(nodes));
  add_queues(world, nodes, 4, 2);
  int32_t gangs = static_cast<int32_t>(2 * nodes);
  for (int32_t i = 0; i < gangs; ++i) {
    world.add_gang({.name = "gang-" + std::to_string(i),
                    .queue = "queue-" + std::to_string(i % 4),
                    .pods = 4,
                    .minute = i});
  }
  time_cycles(state, world, {.bound = 4 * gangs});
}
BENCHMARK(GangScheduling)->ArgName("nodes")->Arg(50)->Unit(benchmark::kMillisecond);

// Gangs that lost all pods but one: everything is full, and nothing may be moved for them.
void StuckGangs(benchmark::State& state) {
  QueueWorld world(kAllActions);
  int64_t nodes = state.range(0);
  world.add_nodes(static_cast<int32_t>(nodes));
  world.add_queue({.name = "queue-0", .parent = "", .gpus = kUnlimited});
  add_running(world, "queue-0", nodes - nodes / 8);
  for (int64_t i = 0; i < nodes; ++i) {
    world.add_gang({.name = "stuck-gang-" + std::to_string(i),
                    .queue = "queue-0",
                    .pods = 4,
                    .minute = static_cast<int32_t>(i),
                    .runs = {node_name(nodes - nodes / 8 + i / 8)}});
  }
  time_cycles(state, world, {});
}
BENCHMARK(StuckGangs)->ArgName("nodes")->Arg(1'000)->Arg(4'000)->Unit(benchmark::kMillisecond);

// D: every other gang runs, and there is room for the rest.
void add_half_running(QueueWorld& world, int64_t nodes, int32_t gangs) {
  world.add_nodes(static_cast<int32_t>(nodes));
  add_queues(world, nodes, 4, 2);
  for (int32_t i = 0; i < gangs; ++i) {
    QueueWorld::GangShape shape{.name = "gang-" + std::to_string(i),
                                .queue = "queue-" + std::to_string(i % 4),
                                .minute = i};
    if (i % 2 == 0) shape.runs = {node_name(i % nodes)};
    world.add_gang(shape);
  }
}

void FullCycle(benchmark::State& state) {
  QueueWorld world(kAllActions);
  int32_t gangs = static_cast<int32_t>(5 * state.range(0));
  add_half_running(world, state.range(0), gangs);
  time_cycles(state, world, {.bound = gangs / 2});
}
BENCHMARK(FullCycle)->ArgName("nodes")->Arg(100)->Unit(benchmark::kMillisecond);

// The same by consolidation alone: every pending pod gets its place, and no pod is moved for it.
void ConsolidationAction(benchmark::State& state) {
  QueueWorld world({"consolidation"});
  int32_t gangs = static_cast<int32_t>(4 * state.range(0));
  add_half_running(world, state.range(0), gangs);
  time_cycles_if(state, world, [&](const QueueWorld::Counts& decided) {
    return decided.bound + decided.pipelined == gangs / 2 && decided.evicted == 0;
  });
}
BENCHMARK(ConsolidationAction)->ArgName("nodes")->Arg(50)->Unit(benchmark::kMillisecond);

// F: one gang that takes half of a full cluster, eight victims a pod.
void ReclaimLargeJobs(benchmark::State& state) {
  QueueWorld world({"reclaim"});
  int64_t nodes = state.range(0);
  world.add_nodes(static_cast<int32_t>(nodes));
  add_rich_and_poor(world, kGpusPerNode * nodes);
  add_running(world, "queue-0", nodes);
  world.add_gang({.name = "very-large-gang",
                  .queue = "queue-1",
                  .pods = static_cast<int32_t>(nodes / 2),
                  .gpus = kGpusPerNode,
                  .minute = static_cast<int32_t>(kGpusPerNode * nodes)});
  time_cycles(state, world, {.pipelined = nodes / 2, .evicted = kGpusPerNode * (nodes / 2)});
}
BENCHMARK(ReclaimLargeJobs)
    ->ArgName("nodes")
    ->Arg(100)
    ->Arg(500)
    ->Arg(1'000)
    ->Unit(benchmark::kMillisecond);

// G: every GPU changes hands, one gang at a time.
void ReclaimManySingle(benchmark::State& state) {
  QueueWorld world(kAllActions);
  int64_t nodes = state.range(0);
  int32_t gpus = static_cast<int32_t>(kGpusPerNode * nodes);
  world.add_nodes(static_cast<int32_t>(nodes));
  add_rich_and_poor(world, gpus);
  add_running(world, "queue-0", nodes);
  for (int32_t i = 0; i < gpus; ++i) {
    world.add_gang(
        {.name = "pending-gang-" + std::to_string(i), .queue = "queue-1", .minute = gpus + i});
  }
  time_cycles(state, world, {.pipelined = gpus, .evicted = gpus});
}
BENCHMARK(ReclaimManySingle)->ArgName("nodes")->Arg(100)->Arg(500)->Unit(benchmark::kMillisecond);

// A hall full of gangs of four trays, and one of 16 that requires its trays in one rack.
class FullHall {
 public:
  explicit FullHall(int64_t wanted_nodes) : world_({"reclaim"}) {
    Hall hall = make_hall(world_.cluster(), wanted_nodes);
    add_rich_and_poor(world_, hall.nodes * Hall::kGpusPerNode);
    std::vector<std::string> trays;
    for (NodeId node : world_.cluster().nodes_by_name()) {
      trays.push_back(world_.cluster().nodes()[node].name);
      if (trays.size() < 4) continue;
      world_.add_gang({.name = "running-gang-" + std::to_string(gangs_),
                       .queue = "queue-0",
                       .pods = 4,
                       .gpus = Hall::kGpusPerNode,
                       .minute = gangs_,
                       .runs = std::exchange(trays, {})});
      ++gangs_;
    }
    pending_ = world_.add_gang({.name = "training",
                                .queue = "queue-1",
                                .pods = 16,
                                .gpus = Hall::kGpusPerNode,
                                .minute = gangs_,
                                .required = "rack"});
  }

  QueueWorld& world() { return world_; }

  // Whether 16 pods are promised places in one rack, and no more gangs leave than need to: two
  // trays of the rack may stay, so four gangs or, where gangs reach over its edge, five.
  bool is_right(Session& session) const {
    QueueWorld::Counts decided = QueueWorld::count(session);
    if (decided.pipelined != 16 || decided.evicted < 16 || decided.evicted > 20) return false;
    const TopologyTree& tree = session.snapshot().trees()[session.cluster().find_topology("hall")];
    std::vector<DomainId> racks;
    for (NodeId node : session.placed_nodes(pending_)) {
      racks.push_back(tree.ancestor(tree.domain_of(node), 2));
    }
    return std::all_of(racks.begin(), racks.end(), [&](DomainId r) { return r == racks.front(); });
  }

 private:
  QueueWorld world_;
  int32_t gangs_ = 0;
  GangId pending_;
};

enum class Counts { Kept, Forgotten };

void reclaim_rack(benchmark::State& state, Counts counts) {
  FullHall hall(100'000);
  for (int i = 0; i < 2; ++i) {
    if (hall.is_right(hall.world().run_actions())) continue;
    state.SkipWithError("the gang did not get its rack");
    return;
  }
  auto between = [&] {
    if (counts == Counts::Forgotten) hall.world().scheduler().session().fits().restart();
  };
  between();
  Latencies().run(
      state, [&] { benchmark::DoNotOptimize(&hall.world().run_actions()); }, between);
}
BENCHMARK_CAPTURE(reclaim_rack, warm, Counts::Kept)
    ->Name("ReclaimRack100k/warm")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(reclaim_rack, cold, Counts::Forgotten)
    ->Name("ReclaimRack100k/cold")
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace trellis::bench::queue
