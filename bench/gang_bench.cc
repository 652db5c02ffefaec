// Decisions about one gang.
#include <benchmark/benchmark.h>

#include <algorithm>

#include "bench/world.h"
#include "session/cycle/gang_step.h"
#include "session/placement/near_miss.h"
#include "tests/support/hall.h"

namespace trellis::bench::gang {
namespace {

// All pods of the gang have a place; how many domains of a level they span.
size_t domains_spanned(Session& session, GangId gang, int level) {
  const Cluster& cluster = session.cluster();
  const TopologyTree& tree = session.snapshot().trees()[cluster.find_topology("hall")];
  std::vector<DomainId> domains;
  for (NodeId node : session.placed_nodes(gang)) {
    domains.push_back(tree.ancestor(tree.domain_of(node), level));
  }
  std::sort(domains.begin(), domains.end());
  return static_cast<size_t>(std::unique(domains.begin(), domains.end()) - domains.begin());
}

void WarmGang4(benchmark::State& state) {
  World world;
  make_hall(world.cluster(), state.range(0));
  GangId gang = world.add_gang({.count = 4, .gpus = 4, .required = "rack"});
  time_warm_gang(state, world, gang, [&](Session& session) {
    return domains_spanned(session, gang, 2) == 1;
  }).refuse_allocations(state);
}
BENCHMARK(WarmGang4)->Apply(hall_sizes);

// Counts are rebuilt for each run.
template <class Place>
void time_cold(benchmark::State& state, Session& session, Place place) {
  auto forget = [&] {
    session.statement().rollback();
    session.fits().restart();
  };
  forget();
  Latencies().run(
      state, [&] { benchmark::DoNotOptimize(place()); }, forget);
  report_per_node(state, session.cluster().nodes().size());
}

// Tree and columns current, no counts for the class.
void ColdGang4096(benchmark::State& state) {
  World world;
  make_hall(world.cluster(), state.range(0));
  int64_t nodes = static_cast<int64_t>(world.cluster().nodes().size());
  int32_t pods = static_cast<int32_t>(std::min<int64_t>(4096, nodes / 2));
  GangId gang = world.add_gang({.count = pods, .gpus = 4, .preferred = "block"});
  Session& session = world.scheduler().open(0);
  GangSearch search(session);
  auto place = [&] {
    return GangProgress(gang).next(session, search).result == GangStep::Result::Placed;
  };
  size_t fewest = (static_cast<size_t>(pods) + 287) / 288;
  if (!place() || domains_spanned(session, gang, 1) != fewest)
    state.SkipWithError("too many blocks");
  time_cold(state, session, place);
}
BENCHMARK(ColdGang4096)->Apply(hall_sizes)->Unit(benchmark::kMicrosecond);

// 32,000 one-CPU pods as one gang on 1,000 nodes of 32 CPUs: exactly full.
void Gang32000(benchmark::State& state) {
  World world;
  world.add_nodes({.count = 1'000, .cpu_milli = 32'000, .memory_bytes = int64_t{256} << 30});
  GangId gang = world.add_gang({.count = 32'000});
  Session& session = world.scheduler().open(0);
  GangSearch search(session);
  auto place = [&] {
    return GangProgress(gang).next(session, search).result == GangStep::Result::Placed;
  };
  if (!place() || session.placed_nodes(gang).size() != 32'000)
    state.SkipWithError("not all placed");
  time_cold(state, session, place);
}
BENCHMARK(Gang32000)->Unit(benchmark::kMicrosecond);

// A gang of ten 8-GPU pods and 500 nodes without a GPU left: the verdict with its reasons.
void NoFit500(benchmark::State& state) {
  World world;
  world.add_nodes(
      {.count = 500, .cpu_milli = 128'000, .memory_bytes = int64_t{1} << 40, .gpus = 8});
  GangId full = world.add_gang({.name = "full", .count = 500, .gpus = 8});
  GangId gang = world.add_gang({.count = 10, .gpus = 8});
  Session& session = world.scheduler().open(0);
  GangSearch search(session);
  if (GangProgress(full).next(session, search).result != GangStep::Result::Placed) {
    state.SkipWithError("the nodes are not full");
  }
  auto verdict = [&] {
    GangStep step = GangProgress(gang).next(session, search);
    return no_fit_reason(session, gang, step.needed, step.code);
  };
  Reason reason = verdict();
  if (reason.code != ReasonCode::NodesNoFit || reason.verdicts.size() != 1 ||
      reason.verdicts.front().nodes != 500) {
    state.SkipWithError("wrong reason");
  }
  auto forget = [&] { session.fits().restart(); };
  forget();
  Latencies().run(
      state, [&] { benchmark::DoNotOptimize(verdict()); }, forget);
  report_per_node(state, world.cluster().nodes().size());
}
BENCHMARK(NoFit500)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace trellis::bench::gang
