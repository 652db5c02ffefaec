// Cycles with appointments: 1,000 gangs fill a hall of 5,000 nodes, and larger ones wait.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "bench/world.h"

namespace trellis::bench::backfill {
namespace {

constexpr int kNodes = 5'000;
constexpr int kRunning = 1'000;
constexpr int kNodesOfGang = kNodes / kRunning;
constexpr int64_t kGpusOfNode = 8;
constexpr TimeUs kNow = 1'000'000 * kSecondUs;

enum class RunTimes : uint8_t { Known, Unknown };

// Gangs of 5 nodes that end one after the other, and one that waits for a tenth of all nodes.
class FullHall {
 public:
  explicit FullHall(RunTimes times) {
    world_.add_nodes({.count = kNodes,
                      .cpu_milli = 64'000,
                      .memory_bytes = int64_t{1} << 38,
                      .gpus = kGpusOfNode});
    NodeId node(0);
    for (int i = 0; i < kRunning; ++i) {
      std::string name = "run-" + std::to_string(i);
      GangId id = world_.add_gang({.name = name, .count = kNodesOfGang, .gpus = kGpusOfNode});
      Gang gang = world_.cluster().gangs()[id];
      gang.started = kNow - kSecondUs;
      if (times == RunTimes::Known) gang.run_time_us = (i + 2) * 60 * kSecondUs;
      world_.cluster().upsert(std::move(gang));
      std::vector<PodId> pods = world_.cluster().pods_of(id);
      for (PodId pod : pods) {
        world_.cluster().set_pod(pod, PodStatus::Running, node, kNow - kSecondUs);
        ++node.value;
      }
    }
    world_.add_gang({.name = "big", .count = kNodes / 10, .gpus = kGpusOfNode});
    tick();
  }

  // A small gang comes that finds no room, either.
  void tick() { world_.add_gang({.name = "small", .count = 1, .gpus = 1}); }

  std::shared_ptr<const CycleRecord> cycle() { return world_.scheduler().run_cycle(kNow); }
  void forget() { world_.scheduler().set_appointments(nullptr); }

 private:
  World world_;
};

bool has_appointment(const CycleRecord& record) {
  return record.appointments != nullptr && record.appointments->size() == 1 &&
         record.appointments->front().pods.size() == kNodes / 10;
}

// Nothing is known: what cycles cost without appointments.
void CycleWithoutRunTimes(benchmark::State& state) {
  FullHall hall(RunTimes::Unknown);
  if (hall.cycle()->appointments != nullptr) state.SkipWithError("an appointment out of nothing");
  Latencies().run(
      state, [&] { benchmark::DoNotOptimize(hall.cycle()); }, [&] { hall.tick(); });
}
BENCHMARK(CycleWithoutRunTimes);

void CycleWithAppointment(benchmark::State& state) {
  FullHall hall(RunTimes::Known);
  if (!has_appointment(*hall.cycle())) state.SkipWithError("no appointment");
  Latencies().run(
      state, [&] { benchmark::DoNotOptimize(hall.cycle()); }, [&] { hall.tick(); });
}
BENCHMARK(CycleWithAppointment);

// The start is searched for: a tenth of the gangs have to end before it.
void CycleThatMakesAppointment(benchmark::State& state) {
  FullHall hall(RunTimes::Known);
  if (!has_appointment(*hall.cycle())) state.SkipWithError("no appointment");
  auto again = [&] {
    hall.forget();
    hall.tick();
  };
  again();
  Latencies().run(
      state, [&] { benchmark::DoNotOptimize(hall.cycle()); }, again);
}
BENCHMARK(CycleThatMakesAppointment);

}  // namespace
}  // namespace trellis::bench::backfill
