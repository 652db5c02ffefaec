// Placement of a workload through the session, and bringing the session up to date.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <string>
#include <vector>

#include "bench/workload_world.h"
#include "bench/world.h"
#include "session/placement/workload_search.h"
#include "tests/support/hall.h"

namespace trellis::bench::kueue {
namespace {

constexpr int64_t kGiB = int64_t{1} << 30;

// A hall of NVL72 racks, a whole tray a pod.
struct TrayHall {
  explicit TrayHall(int64_t nodes) {
    make_hall(world.cluster(), nodes);
    world.add_flavor("trays", "hall");
    world.add_queue({.name = "queue", .flavors = {"trays"}, .nominal = int64_t{1} << 50});
  }

  WorkloadId add(int32_t pods, const std::string& required, const std::string& preferred) {
    WorkloadWorld::WorkloadShape shape;
    shape.name = "train";
    shape.queue = "queue";
    shape.pods = pods;
    shape.requests.set(kCpu, 8 * kMilli);
    shape.requests.set(kMemory, 64 * kGiB);
    shape.requests.set(kGpu, 4 * kMilli);
    if (!required.empty()) shape.topology.required = world.str(required);
    if (!preferred.empty()) shape.topology.preferred = world.str(preferred);
    return world.add_workload(shape);
  }

  FlavoredPodSet flavored(const Session& session, WorkloadId workload) {
    FlavoredPodSet set;
    set.flavor = FlavorId(0);
    set.topology = world.cluster().find_topology("hall");
    set.pod_class = session.snapshot().workloads().flavored(workload, 0, set.flavor);
    set.count = world.cluster().workloads()[workload].pod_sets.front().count;
    return set;
  }

  WorkloadWorld world;
};

size_t racks_used(const Session& session, const WorkloadPlace& place) {
  const PodSetPlace& set = place.pod_sets.front();
  const TopologyTree& tree = session.snapshot().trees()[set.set.topology];
  std::vector<DomainId> racks;
  for (const auto& [leaf, count] : set.leaves) {
    racks.push_back(tree.ancestor(leaf, tree.level_count() - 2));
  }
  std::sort(racks.begin(), racks.end());
  return static_cast<size_t>(std::unique(racks.begin(), racks.end()) - racks.begin());
}

struct PlaceShape {
  int32_t pods = 0;
  const char* required = "";
  const char* preferred = "";
  size_t racks = 0;
};

void place_workload(benchmark::State& state, const PlaceShape& shape, bool cold) {
  TrayHall hall(state.range(0));
  WorkloadId id = hall.add(shape.pods, shape.required, shape.preferred);
  Session& session = hall.world.scheduler().open(0);
  FlavoredPodSet set = hall.flavored(session, id);
  const Workload& workload = hall.world.cluster().workloads()[id];
  WorkloadSearch search(session);
  WorkloadPlace place;
  auto run = [&] { return search.place(workload, {&set, 1}, FitMode::Now, place); };
  if (!run() || racks_used(session, place) != shape.racks) state.SkipWithError("too many racks");
  auto undo = [&] {
    session.statement().rollback();
    if (cold) session.fits().restart();
  };
  undo();
  Latencies().run(
      state, [&] { benchmark::DoNotOptimize(run()); }, undo);
}

void KueuePlace(benchmark::State& state, const PlaceShape& shape, bool cold) {
  place_workload(state, shape, cold);
}
BENCHMARK_CAPTURE(KueuePlace, rack4_cold, PlaceShape{4, Hall::kRack, "", 1}, true)
    ->Name("KueuePlace/rack4/cold")
    ->Apply(hall_sizes);
BENCHMARK_CAPTURE(KueuePlace, rack4_warm, PlaceShape{4, Hall::kRack, "", 1}, false)
    ->Name("KueuePlace/rack4/warm")
    ->Apply(hall_sizes);
BENCHMARK_CAPTURE(KueuePlace, block256_cold, PlaceShape{256, "", Hall::kBlock, 15}, true)
    ->Name("KueuePlace/block256/cold")
    ->Apply(hall_sizes);
BENCHMARK_CAPTURE(KueuePlace, block256_warm, PlaceShape{256, "", Hall::kBlock, 15}, false)
    ->Name("KueuePlace/block256/warm")
    ->Apply(hall_sizes);

// Snapshot and the counts of one class, brought up to date after one node changed, or none.
void KueueSnapshot(benchmark::State& state, bool changed) {
  TrayHall hall(state.range(0));
  WorkloadId id = hall.add(4, Hall::kRack, "");
  Session* session = &hall.world.scheduler().open(0);
  FlavoredPodSet set = hall.flavored(*session, id);
  Node node = hall.world.cluster().nodes()[NodeId(0)];
  int64_t cpu = node.allocatable.get(kCpu);
  int64_t trays = state.range(0);
  auto count = [&] {
    session = &hall.world.scheduler().open(0);
    const DomainCounts& counts =
        session->fits().domain_counts(set.topology, set.pod_class, FitMode::Now);
    return counts[session->snapshot().trees()[set.topology].root()];
  };
  if (count() < trays) state.SkipWithError("not every tray takes a pod");
  trays = count();
  for (auto _ : state) {
    if (changed) {
      state.PauseTiming();
      // One core is too few for a pod.
      bool room = node.allocatable.get(kCpu) == cpu;
      node.allocatable.set(kCpu, room ? kMilli : cpu);
      trays += room ? -1 : 1;
      hall.world.cluster().upsert(Node(node));
      state.ResumeTiming();
    }
    if (count() != trays) state.SkipWithError("another count than expected");
  }
}
BENCHMARK_CAPTURE(KueueSnapshot, unchanged, false)->ArgName("nodes")->Arg(1000)->Arg(100'000);
BENCHMARK_CAPTURE(KueueSnapshot, changed, true)->ArgName("nodes")->Arg(1000)->Arg(100'000);

}  // namespace
}  // namespace trellis::bench::kueue
