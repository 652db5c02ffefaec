// Decisions about gangs with inner structure, warm: counts kept, the last decision's nodes dirty.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <vector>

#include "bench/world.h"
#include "session/cycle/gang_step.h"
#include "tests/support/hall.h"

namespace trellis::bench::structure {
namespace {

// The domain of a level of every placed pod, in order of rank.
std::vector<DomainId> domains_by_rank(Session& session, GangId gang, int level) {
  const TopologyTree& tree = session.snapshot().trees()[session.cluster().find_topology("hall")];
  std::vector<DomainId> domains;
  for (PodId pod : session.ranked_pods(gang)) {
    NodeId node = session.snapshot().pod(pod).node;
    domains.push_back(node.valid() ? tree.ancestor(tree.domain_of(node), level) : DomainId());
  }
  return domains;
}

// Consecutive pods of `size` share a valid domain.
bool share_domains(const std::vector<DomainId>& domains, size_t size) {
  for (size_t i = 0; i < domains.size(); ++i) {
    if (!domains[i].valid() || domains[i] != domains[i - i % size]) return false;
  }
  return true;
}

// Each `together` of its pods in a rack, all in one block.
void run_warm(benchmark::State& state, World& world, GangId gang, size_t together) {
  time_warm_gang(state, world, gang, [&](Session& session) {
    return share_domains(domains_by_rank(session, gang, 2), together) &&
           share_domains(domains_by_rank(session, gang, 1), session.cluster().pods_of(gang).size());
  });
}

// Eight subgroups of eight pods: each in a rack, all in one block.
void SubGroups8x8(benchmark::State& state) {
  World world;
  make_hall(world.cluster(), state.range(0));
  GangId gang = world.add_gang(
      {.count = 64, .gpus = 4, .required = "block", .subgroups = 8, .subgroup_required = "rack"});
  run_warm(state, world, gang, 8);
}
BENCHMARK(SubGroups8x8)->Apply(hall_sizes)->Unit(benchmark::kMicrosecond);

// 512 pods in segments of eight: each in a rack, all in one block, which they fill.
void Segments512(benchmark::State& state) {
  World world;
  make_hall(world.cluster(), state.range(0));
  GangId gang = world.add_gang({.count = 512,
                                .gpus = 2,
                                .required = "block",
                                .segment_size = 8,
                                .segment_required = "rack"});
  run_warm(state, world, gang, 8);
}
BENCHMARK(Segments512)->Apply(hall_sizes)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace trellis::bench::structure
