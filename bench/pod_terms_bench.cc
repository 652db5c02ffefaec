// Decisions about gangs whose pods have terms about each other.
#include <benchmark/benchmark.h>

#include <algorithm>

#include "bench/world.h"
#include "session/cycle/gang_step.h"
#include "tests/support/hall.h"

namespace trellis::bench::pod_terms {
namespace {

// In how many values of a label the gang's pods stand, and the most pods of one value.
struct Places {
  size_t values = 0;
  int64_t most = 0;
};

Places places_of(Session& session, GangId gang, const char* key) {
  const Cluster& cluster = session.cluster();
  StrId label = cluster.vocabulary().strings.find(key);
  std::vector<StrId> values;
  for (NodeId node : session.placed_nodes(gang)) {
    values.push_back(find_label(cluster.nodes()[node].labels, label));
  }
  std::sort(values.begin(), values.end());
  Places places;
  for (size_t i = 0; i < values.size();) {
    size_t next = i;
    while (next < values.size() && values[next] == values[i]) ++next;
    ++places.values;
    places.most = std::max(places.most, static_cast<int64_t>(next - i));
    i = next;
  }
  return places;
}

constexpr const char* kRackId = "example.com/rack-id";

// The hall's rack names repeat from block to block: a label of its own for each rack.
void label_racks(Cluster& cluster) {
  StringTable& strings = cluster.vocabulary().strings;
  StrId key = strings.intern(kRackId);
  for (uint32_t i = 0; i < cluster.nodes().size(); ++i) {
    Node node = cluster.nodes()[NodeId(i)];
    node.labels.push_back({key, strings.intern(node.name.substr(0, node.name.rfind('-')))});
    std::sort(node.labels.begin(), node.labels.end());
    cluster.upsert(std::move(node));
  }
}

// Warm: counts kept, the last decision's nodes dirty.
void place_gang(benchmark::State& state, const World::GangShape& shape, const char* key,
                Places expected) {
  World world;
  make_hall(world.cluster(), state.range(0));
  label_racks(world.cluster());
  GangId gang = world.add_gang(shape);
  time_warm_gang(state, world, gang, [&](Session& session) {
    Places places = places_of(session, gang, key);
    return places.values == expected.values && places.most == expected.most;
  });
}

void AntiAffinity64(benchmark::State& state) {
  place_gang(state, {.count = 64, .gpus = 1, .apart = Hall::kHostname}, Hall::kHostname, {64, 1});
}

// One rack of 18 nodes and 72 GPUs must hold them all.
void RackAffinity64(benchmark::State& state) {
  place_gang(state, {.count = 64, .gpus = 1, .together = kRackId}, kRackId, {1, 64});
}

void ZoneSpread64(benchmark::State& state) {
  // As many spines as the hall has.
  World probe;
  size_t spines = static_cast<size_t>(make_hall(probe.cluster(), state.range(0)).spines);
  place_gang(state, {.count = 64, .gpus = 1, .spread = Hall::kSpine}, Hall::kSpine,
             {std::min<size_t>(64, spines), static_cast<int64_t>((64 + spines - 1) / spines)});
}

BENCHMARK(AntiAffinity64)->Apply(hall_sizes)->Unit(benchmark::kMicrosecond);
BENCHMARK(RackAffinity64)->Apply(hall_sizes)->Unit(benchmark::kMicrosecond);
BENCHMARK(ZoneSpread64)->Apply(hall_sizes)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace trellis::bench::pod_terms
