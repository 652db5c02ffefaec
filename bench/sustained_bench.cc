// Sustained throughput: the pods of many gangs, from their decoded records to the record of the
// cycle that places them all.
//
// What is timed is all that happens between reading and showing: the records become a cluster with
// ids and classes, the snapshot follows, a session with every plugin and action places the gangs,
// and the cycle's record is written. The nodes were there before.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bench/gang_texts.h"
#include "framework/check.h"
#include "framework/selectors.h"
#include "server/engine/engine.h"
#include "server/manifest/manifest.h"

namespace trellis::bench::sustained {
namespace {

Objects read(Engine& engine, const std::string& text) {
  Manifest manifest = read_manifest_text("bench", text, engine.vocabulary());
  require(!manifest.has_errors(), "the benchmark's input is read without errors");
  return std::move(manifest.objects);
}

// The most domains of a level that a gang, or a subgroup where there are some, spans.
size_t widest(const Engine& engine, const CycleRecord& record, std::string_view label) {
  const Cluster& cluster = engine.cluster();
  StrId key = cluster.vocabulary().strings.find(label);
  size_t most = 0;
  std::vector<std::pair<StrId, StrId>> seen;  // subgroup, domain
  for (uint32_t i = 0; i < cluster.gangs().size(); ++i) {
    seen.clear();
    for (PodId pod : cluster.pods_of(GangId(i))) {
      NodeId node = record.pods[pod].node;
      if (!node.valid()) return SIZE_MAX;
      seen.emplace_back(cluster.pods()[pod].pod.subgroup,
                        find_label(cluster.nodes()[node].labels, key));
    }
    std::sort(seen.begin(), seen.end());
    seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
    size_t parts = std::max<size_t>(cluster.gangs()[GangId(i)].subgroups.size(), 1);
    most = std::max(most, (seen.size() + parts - 1) / parts);
  }
  return most;
}

// A function of its own, for profile.py to count by.
[[gnu::noinline]] std::shared_ptr<const CycleRecord> schedule(Engine& engine, Objects objects) {
  engine.cluster().add(std::move(objects));
  return engine.run(0, 1);
}

struct Shape {
  int gangs_per_1000_nodes = 1;
  GangTexts gangs;  // without their number
  // The label whose domains each gang, or subgroup, has to lie in one of.
  const char* together = kRackLabel;
};

void sustained(benchmark::State& state, Shape shape) {
  RackShape racks{.nodes = static_cast<int>(state.range(0))};
  shape.gangs.gangs = racks.nodes / 1'000 * shape.gangs_per_1000_nodes;
  int64_t pods = int64_t{shape.gangs.gangs} * shape.gangs.pods_per_gang();
  std::string input = rack_texts(racks) + gang_texts(shape.gangs);
  for (auto _ : state) {
    state.PauseTiming();
    auto engine = std::make_unique<Engine>(Config());
    Objects objects = read(*engine, input);
    Objects empty;
    empty.nodes = std::exchange(objects.nodes, {});
    empty.topologies = std::exchange(objects.topologies, {});
    engine->cluster().add(std::move(empty));
    engine->run(0, 1);
    state.ResumeTiming();
    std::shared_ptr<const CycleRecord> record = schedule(*engine, std::move(objects));
    state.PauseTiming();
    bool right = static_cast<int64_t>(record->decisions.size()) == pods &&
                 widest(*engine, *record, shape.together) == 1;
    if (!right) state.SkipWithError("not all placed as asked");
    record = nullptr;
    engine = nullptr;
    state.ResumeTiming();
  }
  state.counters["pods_per_second"] = benchmark::Counter(
      static_cast<double>(pods * state.iterations()), benchmark::Counter::kIsRate);
}

// As many gangs as fill the nodes.
Shape filling(int pods, GangApi api, const char* required, const char* preferred = "") {
  Shape shape;
  shape.gangs_per_1000_nodes = 1'000 * RackShape::kPodsPerNode / pods;
  shape.gangs.api = api;
  shape.gangs.pods = {pods};
  shape.gangs.required = required;
  shape.gangs.preferred = preferred;
  shape.together = *required != '\0' ? required : preferred;
  return shape;
}

// Ten gangs of 5,000 pods on 5,000 nodes.
Shape large() {
  Shape shape = filling(5'000, GangApi::Kai, "", kBlockLabel);
  shape.gangs_per_1000_nodes = 2;
  return shape;
}

// 1,500 groups on 5,000 nodes, each of two groups, of 3 and of 4 pods: all in a block, each of the
// two in a rack.
Shape composite() {
  Shape shape;
  shape.gangs_per_1000_nodes = 300;
  shape.gangs.pods = {3, 4};
  shape.gangs.required = kBlockLabel;
  shape.gangs.subgroup_required = kRackLabel;
  return shape;
}

void sizes(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgName("nodes")->Arg(1'000)->Arg(5'000)->Unit(benchmark::kMillisecond);
}

BENCHMARK_CAPTURE(sustained, kai4, filling(4, GangApi::Kai, kRackLabel))
    ->Name("Sustained/gangs:4/kai/rack")
    ->Apply(sizes);
BENCHMARK_CAPTURE(sustained, kubernetes4, filling(4, GangApi::Kubernetes, kRackLabel))
    ->Name("Sustained/gangs:4/kubernetes/rack")
    ->Apply(sizes);
BENCHMARK_CAPTURE(sustained, block4, filling(4, GangApi::Kai, "", kBlockLabel))
    ->Name("Sustained/gangs:4/kai/block")
    ->Apply(sizes);
BENCHMARK_CAPTURE(sustained, kai1000, filling(1'000, GangApi::Kai, kRackLabel))
    ->Name("Sustained/gangs:1000/kai/rack")
    ->Apply(sizes);
BENCHMARK_CAPTURE(sustained, kubernetes1000, filling(1'000, GangApi::Kubernetes, kRackLabel))
    ->Name("Sustained/gangs:1000/kubernetes/rack")
    ->Apply(sizes);
BENCHMARK_CAPTURE(sustained, block1000, filling(1'000, GangApi::Kai, "", kBlockLabel))
    ->Name("Sustained/gangs:1000/kai/block")
    ->Apply(sizes);
BENCHMARK_CAPTURE(sustained, block5000, large())
    ->Name("Sustained/gangs:5000/kai/block")
    ->Apply(sizes);
BENCHMARK_CAPTURE(sustained, composite, composite())->Name("Sustained/composite/kai")->Apply(sizes);

}  // namespace
}  // namespace trellis::bench::sustained
