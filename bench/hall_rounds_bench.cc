// A full hall in which gangs end and others come, round by round.
//
// The hall is filled to a part of its GPUs. In each of 20 rounds a fifth of the gangs that run, by
// chance, end; gangs come that ask for as many GPUs as then are missing, and one cycle runs.
// Counters: processor time of a cycle (p50_ms, p99_ms); `spanned`, the domains of preferred levels
// that the rounds' gangs span over the fewest that could hold them in an empty hall; `idle_asked`,
// the GPUs, in percent of all, that stay idle though gangs wait for them: the mean of the rounds.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <ctime>
#include <memory>
#include <string>
#include <vector>

#include "bench/world.h"
#include "server/engine/engine.h"
#include "tests/support/hall.h"
#include "tests/support/random.h"

namespace trellis::bench::hall_rounds {
namespace {

constexpr int kRounds = 20;
constexpr uint32_t kEndPercent = 20;

struct Kind {
  int32_t pods = 1;
  int64_t gpus = Hall::kGpusPerNode;  // of a pod
  const char* preferred = "";
  int64_t nodes_per_domain = 1;
};

// Small work beside gangs of a rack and gangs of a block.
constexpr const char* kRackName = "rack";
constexpr const char* kBlockName = "block";
constexpr int64_t kBlockNodes = Hall::kNodesPerRack * Hall::kRacksPerBlock;
constexpr std::array<Kind, 12> kKinds = {{{1, 1},
                                          {1, 2},
                                          {1, 4},
                                          {2, 4, kRackName, Hall::kNodesPerRack},
                                          {4, 4, kRackName, Hall::kNodesPerRack},
                                          {8, 4, kRackName, Hall::kNodesPerRack},
                                          {16, 4, kRackName, Hall::kNodesPerRack},
                                          {18, 4, kRackName, Hall::kNodesPerRack},
                                          {36, 4, kBlockName, kBlockNodes},
                                          {72, 4, kBlockName, kBlockNodes},
                                          {144, 4, kBlockName, kBlockNodes},
                                          {288, 4, kBlockName, kBlockNodes}}};

int64_t processor_ns() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

class HallRounds {
 public:
  HallRounds(int64_t nodes, int64_t full_percent) : engine_(Config()) {
    Hall hall = make_hall(engine_.cluster(), nodes);
    all_gpus_ = hall.nodes * Hall::kGpusPerNode;
    asked_ = all_gpus_ * full_percent / 100;
    engine_.run(now_, 1);
    come();
    cycle();
  }

  void round() {
    engine_.pass_time();
    end_some();
    size_t first = gangs_.size();
    come();
    times_.push_back(cycle());
    measure(first);
  }

  // Of those that run, in percent of all.
  double full_percent() const { return percent(held()); }

  void report(benchmark::State& state) {
    std::sort(times_.begin(), times_.end());
    auto milliseconds = [&](size_t percent) {
      size_t at = std::min(times_.size() * percent / 100, times_.size() - 1);
      return static_cast<double>(times_[at]) / 1e6;
    };
    state.counters["p50_ms"] = milliseconds(50);
    state.counters["p99_ms"] = milliseconds(99);
    state.counters["spanned"] = static_cast<double>(spanned_) / static_cast<double>(fewest_);
    state.counters["idle_asked"] = idle_asked_ / kRounds;
    state.counters["gangs"] = static_cast<double>(gangs_.size());
  }

 private:
  struct Running {
    GangId id;
    std::string name;
    Kind kind;
    int64_t gpus() const { return kind.pods * kind.gpus; }
  };

  bool runs(const Running& gang) const {
    return record_->gangs.contains(gang.id) &&
           record_->gangs[gang.id].status != GangStatus::Pending;
  }

  double percent(int64_t gpus) const {
    return 100 * static_cast<double>(gpus) / static_cast<double>(all_gpus_);
  }

  int64_t held() const {
    int64_t gpus = 0;
    for (const Running& gang : gangs_) gpus += runs(gang) ? gang.gpus() : 0;
    return gpus;
  }

  void end_some() {
    Cluster& cluster = engine_.cluster();
    StrId name_space = cluster.vocabulary().strings.find("default");
    std::erase_if(gangs_, [&](const Running& gang) {
      if (!runs(gang) || !random_.chance(kEndPercent)) return false;
      for (int32_t i = 0; i < gang.kind.pods; ++i) {
        cluster.remove_pod(name_space, gang.name + "-" + std::to_string(i));
      }
      cluster.remove_gang("default", gang.name);
      wanted_ -= gang.gpus();
      return true;
    });
  }

  // Until as much is asked for as it should be; what is less than the smallest gang of a rack is
  // left to single pods.
  void come() {
    while (wanted_ < asked_) {
      Kind kind = random_.pick(kKinds);
      if (wanted_ + kind.pods * kind.gpus > asked_) kind = kKinds[0];
      std::string name = "gang-" + std::to_string(made_++);
      GangId id = add_gang(engine_.cluster(), {.name = name,
                                               .count = kind.pods,
                                               .cpu_milli = 1'000 * kind.gpus,
                                               .gpus = kind.gpus,
                                               .preferred = kind.preferred});
      gangs_.push_back({id, name, kind});
      wanted_ += gangs_.back().gpus();
    }
  }

  int64_t cycle() {
    now_ += engine_.config().period_us;
    int64_t start = processor_ns();
    record_ = engine_.run(now_, 1);
    return processor_ns() - start;
  }

  void measure(size_t first_new) {
    for (size_t i = first_new; i < gangs_.size(); ++i) {
      const Running& gang = gangs_[i];
      if (*gang.kind.preferred == '\0' || !runs(gang)) continue;
      spanned_ += domains(gang);
      fewest_ += (gang.kind.pods + gang.kind.nodes_per_domain - 1) / gang.kind.nodes_per_domain;
    }
    int64_t idle = all_gpus_ - held();
    int64_t waiting = wanted_ - held();
    idle_asked_ += percent(std::min(idle, waiting));
  }

  // Of the gang's preferred level. Nodes come rack by rack, so that a node's id gives its domain.
  int64_t domains(const Running& gang) const {
    std::vector<int64_t> seen;
    for (PodId pod : engine_.cluster().pods_of(gang.id)) {
      seen.push_back(record_->pods[pod].node.value / gang.kind.nodes_per_domain);
    }
    std::sort(seen.begin(), seen.end());
    return std::unique(seen.begin(), seen.end()) - seen.begin();
  }

  Engine engine_;
  Random random_{1};
  TimeUs now_ = 0;
  std::shared_ptr<const CycleRecord> record_;
  std::vector<Running> gangs_;  // that run or wait
  int64_t made_ = 0;
  int64_t all_gpus_ = 0;
  int64_t asked_ = 0;   // GPUs that gangs should hold or ask for
  int64_t wanted_ = 0;  // that they do
  std::vector<int64_t> times_;
  int64_t spanned_ = 0;
  int64_t fewest_ = 0;
  double idle_asked_ = 0;  // the sum of the rounds
};

void hall_rounds(benchmark::State& state) {
  for (auto _ : state) {
    HallRounds hall(state.range(0), state.range(1));
    for (int i = 0; i < kRounds; ++i) hall.round();
    hall.report(state);
    if (hall.full_percent() < 0.98 * static_cast<double>(state.range(1))) {
      state.SkipWithError("much less is placed than is asked for");
    }
  }
}
BENCHMARK(hall_rounds)
    ->Name("HallRounds")
    ->ArgNames({"nodes", "full"})
    ->ArgsProduct({{1'000, 10'000, 100'000}, {60, 90, 99}})
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace trellis::bench::hall_rounds
