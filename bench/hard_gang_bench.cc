// Gangs that fit by count and have no place, or one that is hard to find: what the worst of them
// cost a cycle, all actions and its reasons included, where limits.searchBudget is the default.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "bench/world.h"
#include "tests/support/hall.h"

namespace trellis::bench::hard_gang {
namespace {

constexpr int64_t kNodes = 5'000;  // 278 racks, 18 blocks, 2 spines

// A gang made subgroup by subgroup and pod by pod.
class HardGang {
 public:
  explicit HardGang(World& world) : cluster_(world.cluster()) {
    gang_.name_space = str("default");
    gang_.name = "hard";
  }

  void require(const char* level) { gang_.topology = {str("hall"), str(level), StrId()}; }
  void choose(int32_t subgroups) { gang_.min_subgroup = subgroups; }

  std::string subgroup(int32_t pods, const char* level) {
    Subgroup& part = gang_.subgroups.emplace_back();
    std::string name = "part-" + std::to_string(gang_.subgroups.size());
    part.name = str(name);
    part.min_member = pods;
    if (level != nullptr) part.topology = {str("hall"), str(level), StrId()};
    return name;
  }

  struct PodShape {
    int64_t cpu_milli = 1'000;
    int64_t gpus = 0;
    std::string app = "a";         // its label
    const char* apart = nullptr;   // over this level from pods of its app
    const char* beside = nullptr;  // over this level with pods of app "b"
  };
  void pod(const std::string& subgroup, const PodShape& shape) {
    PodSpec spec;
    spec.requests.set(kCpu, shape.cpu_milli);
    spec.requests.set(kPods, 1);
    if (shape.gpus > 0) spec.requests.set(kGpu, shape.gpus * kMilli);
    if (shape.apart != nullptr) spec.pod_anti_affinity.push_back(term(shape.apart, shape.app));
    if (shape.beside != nullptr) spec.pod_affinity.push_back(term(shape.beside, "b"));
    Pod pod;
    pod.labels = {{str("app"), str(shape.app)}};
    pod.name_space = str("default");
    pod.name = "hard-" + std::to_string(pods_.size());
    pod.gang = str("default/hard");
    pod.completion_index = static_cast<int32_t>(pods_.size());
    if (!subgroup.empty()) pod.subgroup = str(subgroup);
    pods_.emplace_back(std::move(pod), std::move(spec));
  }

  GangId add() {
    bool chooses = gang_.min_subgroup != Subgroup::kAll;
    gang_.min_member = chooses ? gang_.min_subgroup : static_cast<int32_t>(pods_.size());
    GangId id = cluster_.upsert(Gang(gang_));
    for (auto& [pod, spec] : pods_) cluster_.upsert(Pod(pod), spec);
    return id;
  }
  // As if its record had been written again: what is known of it is forgotten.
  void touch() {
    gang_.uid = gang_.uid.empty() ? "again" : "";
    cluster_.upsert(Gang(gang_));
  }

 private:
  StrId str(std::string_view text) { return cluster_.vocabulary().strings.intern(text); }

  PodTerm term(const char* level, const std::string& app) {
    PodTerm made;
    made.key = str(level);
    made.pods.labels = {{str("app"), SelectorOp::In, {str(app)}}};
    return made;
  }

  Cluster& cluster_;
  Gang gang_;
  std::vector<std::pair<Pod, PodSpec>> pods_;
};

using Fill = std::function<void(HardGang&)>;

void run(benchmark::State& state, const Fill& fill) {
  World world;
  make_hall(world.cluster(), kNodes);
  HardGang gang(world);
  fill(gang);
  GangId id = gang.add();
  auto record = world.scheduler().run_cycle(0);
  const std::vector<Reason>& reasons = record->gangs[id].reasons;
  bool gave_up = !reasons.empty() && reasons.front().code == ReasonCode::SearchBudgetExhausted;
  if (!gave_up || !record->decisions.empty()) state.SkipWithError("the search did not give up");
  Latencies().run(
      state, [&] { benchmark::DoNotOptimize(world.scheduler().run_cycle(0)); },
      [&] { gang.touch(); });
}

// 80 subgroups that each want a rack in a block of their own, where there are 18 blocks.
void Apart80(benchmark::State& state) {
  run(state, [](HardGang& gang) {
    for (int i = 0; i < 80; ++i) {
      gang.pod(gang.subgroup(1, Hall::kRack), {.apart = Hall::kBlock});
    }
  });
}
BENCHMARK(Apart80)->Name("HardGang/apart80")->Unit(benchmark::kMillisecond);

// The same without a topology: pods of four sizes, apart from each other; each size alone would
// fit.
void Sizes(benchmark::State& state) {
  run(state, [](HardGang& gang) {
    for (int i = 0; i < 40; ++i) {
      gang.pod("", {.cpu_milli = 1'000 + i % 4 * 500, .apart = Hall::kBlock});
    }
  });
}
BENCHMARK(Sizes)->Name("HardGang/sizes_apart")->Unit(benchmark::kMillisecond);

// Pods of 60 sizes that a rack takes by count, size for size, but not together.
void Packing(benchmark::State& state) {
  run(state, [](HardGang& gang) {
    gang.require(Hall::kRack);
    for (int i = 0; i < 60; ++i) gang.pod("", {.cpu_milli = 47'000 + i * 37});
  });
}
BENCHMARK(Packing)->Name("HardGang/packing60")->Unit(benchmark::kMillisecond);

// As many subgroups as there may be, each of a size of its own and bound to a rack.
void Subgroups1024(benchmark::State& state) {
  run(state, [](HardGang& gang) {
    gang.require(Hall::kBlock);
    for (int i = 0; i < 1'024; ++i) {
      std::string part = gang.subgroup(2, Hall::kRack);
      gang.pod(part, {.cpu_milli = 40'000 + i * 10});
      gang.pod(part, {.cpu_milli = 40'000 + i * 10, .gpus = 1});
    }
  });
}
BENCHMARK(Subgroups1024)->Name("HardGang/subgroups1024")->Unit(benchmark::kMillisecond);

// Half of the subgroups will do, whichever: each choice is a search.
void Choices(benchmark::State& state) {
  run(state, [](HardGang& gang) {
    gang.choose(32);
    for (int i = 0; i < 64; ++i) {
      std::string part = gang.subgroup(1, Hall::kRack);
      gang.pod(part, {.cpu_milli = 1'000 + i, .app = "b", .apart = Hall::kBlock});
    }
  });
}
BENCHMARK(Choices)->Name("HardGang/choices")->Unit(benchmark::kMillisecond);

// Pods that must stand beside others, which stand apart from each other.
void Beside(benchmark::State& state) {
  run(state, [](HardGang& gang) {
    gang.require(Hall::kSpine);
    for (int i = 0; i < 24; ++i) {
      gang.pod("", {.cpu_milli = 1'000 + i % 3, .app = "b", .apart = Hall::kBlock});
    }
    for (int i = 0; i < 400; ++i) {
      gang.pod("", {.cpu_milli = 1'000 + i % 7, .beside = Hall::kBlock});
    }
  });
}
BENCHMARK(Beside)->Name("HardGang/beside")->Unit(benchmark::kMillisecond);

// A thousand hard gangs in one cycle: the budget halves as they use it up.
void Thousand(benchmark::State& state) {
  World world;
  make_hall(world.cluster(), kNodes);
  std::vector<GangId> gangs;
  for (int i = 0; i < 1'000; ++i) {
    gangs.push_back(world.add_gang({.name = "hard-" + std::to_string(i),
                                    .count = 40,
                                    .subgroups = 40,
                                    .subgroup_required = "rack",
                                    .apart = Hall::kBlock}));
  }
  auto record = world.scheduler().run_cycle(0);
  for (GangId gang : gangs) {
    const std::vector<Reason>& reasons = record->gangs[gang].reasons;
    bool gave_up = !reasons.empty() && reasons.front().code == ReasonCode::SearchBudgetExhausted;
    if (!gave_up) state.SkipWithError("a search did not give up");
  }
  int32_t turn = 0;
  Latencies().run(
      state, [&] { benchmark::DoNotOptimize(world.scheduler().run_cycle(0)); },
      [&] {
        // A node that is other than it was: all searches are made again.
        Node node = world.cluster().nodes()[NodeId(0)];
        node.allocatable.set(kCpu, 144 * kMilli + ++turn % 2);
        world.cluster().upsert(std::move(node));
      });
}
BENCHMARK(Thousand)->Name("HardGang/thousand")->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace trellis::bench::hard_gang
