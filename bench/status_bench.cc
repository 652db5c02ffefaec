// What it costs to look at a finished cycle for what must be written back, in a cluster of many
// pods.
#include <benchmark/benchmark.h>

#include <memory>
#include <string>

#include "server/engine/engine.h"
#include "server/kube/status/status_book.h"

namespace trellis::bench::status {
namespace {

constexpr int kPodsOfANode = 10;
constexpr int kPodsOfAGang = 10;

// No server is there: no write succeeds.
class NoObjects : public LiveObjects {
 public:
  std::optional<LiveObject> find(std::string_view, std::string_view, std::string_view,
                                 std::string_view) const override {
    return std::nullopt;
  }
  std::string collection(std::string_view, std::string_view, std::string_view) const override {
    return "";
  }
  Named list(std::string_view, std::string_view) const override { return {}; }
};

// Nodes full of running pods, and a fifth as many pods that wait.
void fill(Cluster& cluster, int64_t nodes) {
  Vocabulary& vocabulary = cluster.vocabulary();
  ResourceId gpu = vocabulary.resources.intern("nvidia.com/gpu");
  StrId space = vocabulary.strings.intern("default");
  for (int64_t i = 0; i < nodes; ++i) {
    Node node;
    node.name = "n" + std::to_string(i);
    node.allocatable.set(kPods, 110);
    node.allocatable.set(gpu, kPodsOfANode * 1000);
    cluster.upsert(std::move(node));
  }
  int64_t running = nodes * kPodsOfANode;
  for (int64_t i = 0; i < running + running / 5; ++i) {
    std::string gang = "g" + std::to_string(i / kPodsOfAGang);
    if (i % kPodsOfAGang == 0) {
      Gang made;
      made.name_space = space;
      made.name = gang;
      made.min_member = kPodsOfAGang;
      cluster.upsert(std::move(made));
    }
    Pod pod;
    pod.name_space = space;
    pod.name = "p" + std::to_string(i);
    pod.uid = "00000000-0000-0000-0000-" + std::to_string(100'000'000'000 + i);
    pod.gang = vocabulary.strings.intern("default/" + gang);
    if (i < running) {
      pod.node = "n" + std::to_string(i / kPodsOfANode);
      pod.status = PodStatus::Running;
    }
    PodSpec spec;
    spec.requests.set(kPods, 1);
    spec.requests.set(gpu, 1000);
    cluster.upsert(std::move(pod), std::move(spec));
  }
}

struct Looking {
  Engine engine{Config()};
  std::shared_ptr<const CycleRecord> record;
  NoObjects objects;
  StatusBook book{{}};
  TimeUs now = 0;

  explicit Looking(int64_t nodes) {
    fill(engine.cluster(), nodes);
    record = engine.run(0, 1);
  }
  StatusView view() {
    return {.cluster = engine.cluster(),
            .record = *record,
            .notes = engine.workload_notes(),
            .session = engine.scheduler().session(),
            .objects = objects,
            .now = now};
  }
};

// As many nodes, and all that stands on them or belongs to that, as a few cycles touch.
Touched few_touched(const CycleRecord& record) {
  constexpr uint32_t kNodes = 20;
  Touched touched{.everything = false, .pods = {}, .gangs = {}, .nodes = {}};
  for (uint32_t i = 0; i < kNodes; ++i) touched.nodes.emplace_back(i);
  for (uint32_t i = 0; i < kNodes * kPodsOfANode; ++i) touched.pods.emplace_back(i);
  for (uint32_t i = 0; i < record.gangs.size(); ++i) {
    bool waits = !record.gangs[GangId(i)].reasons.empty();
    if (waits || i < kNodes * kPodsOfANode / kPodsOfAGang) touched.gangs.emplace_back(i);
  }
  return touched;
}

// Cycles that touched a few nodes, and said again why gangs wait.
void StatusLook(benchmark::State& state) {
  Looking looking(state.range(0));
  looking.book.look(looking.view(), Touched());
  if (looking.book.next_at(looking.now) == kNoTime) state.SkipWithError("no write waits");
  Touched touched = few_touched(*looking.record);
  for (auto _ : state) looking.book.look(looking.view(), touched);
}
BENCHMARK(StatusLook)->ArgName("nodes")->Arg(1000)->Arg(5000)->Unit(benchmark::kMillisecond);

// The first look, at everything that waits.
void StatusFirstLook(benchmark::State& state) {
  Looking looking(state.range(0));
  for (auto _ : state) {
    state.PauseTiming();
    looking.book = StatusBook({});
    state.ResumeTiming();
    looking.book.look(looking.view(), Touched());
  }
}
BENCHMARK(StatusFirstLook)->ArgName("nodes")->Arg(1000)->Arg(5000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace trellis::bench::status
