// Of what is assumed only what a cycle touched is looked at: looking at everything finds no more.
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "server/engine/engine.h"
#include "server/sources/file_source.h"
#include "server/writeback/between_cycles.h"
#include "tests/server/sources/random_objects.h"
#include "tests/server/system/temporary_folder.h"
#include "tests/support/long_run.h"
#include "tests/support/seed_guard.h"

namespace trellis::assume_test {
namespace {

constexpr TimeUs kNoon = 1'767'268'800 * kSecondUs;  // 2026-01-01T12:00:00Z
constexpr int kSteps = 6;

std::string text_of(const Cluster& cluster) {
  std::string text;
  for (PodId id : cluster.pods_by_name()) {
    const Pod& pod = cluster.pods()[id].pod;
    text += pod.name + " " + std::to_string(static_cast<int>(pod.status)) + " on " + pod.node +
            " promised " + pod.promised + " since " + std::to_string(pod.started) + " leaving " +
            std::to_string(pod.leaving_since) + " devices";
    for (StrId group : pod.gpu_groups) text += " " + std::to_string(group.value);
    text += "\n";
  }
  for (GangId id : cluster.gangs_by_name()) {
    const Gang& gang = cluster.gangs()[id];
    text += gang.name + " " + std::to_string(gang.started) + " stale " +
            std::to_string(gang.stale_since) + "\n";
  }
  return text;
}

// A cluster whose objects come from a folder, and whose decisions are carried out.
struct Assumed {
  explicit Assumed(const std::string& folder)
      : engine(Config()), source(std::vector<std::string>{folder}) {}

  void read() {
    std::optional<SourceUpdate> update = source.poll(engine.vocabulary());
    if (!update) return;
    keep_places(update->diff, engine.cluster(), engine.vocabulary().strings);
    engine.cluster().apply(update->diff.changes);
  }

  // What was evicted has left; some of what was bound runs.
  void carry_out(uint64_t seed) {
    Cluster& cluster = engine.cluster();
    std::mt19937_64 random(seed);
    for (PodId id : cluster.pods_by_name()) {
      const PodSlot& slot = cluster.pods()[id];
      bool now = random() % 2 == 0;
      if (slot.pod.status == PodStatus::Bound && now) {
        cluster.set_pod(id, PodStatus::Running, slot.node, kNoon);
      } else if (slot.pod.status == PodStatus::Releasing && now) {
        cluster.set_pod(id, PodStatus::Pending, NodeId(), kNoTime);
      }
    }
  }

  Engine engine;
  FileSource source;
};

void assume_both_ways(uint64_t seed) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  SeedGuard guard(seed);
  test::TemporaryFolder folder;
  test::RandomObjects objects(seed);
  Assumed quick(folder.path());
  Assumed thorough(folder.path());
  for (int step = 0; step < kSteps; ++step) {
    if (step > 0 && step % 2 == 0) objects.step();
    objects.write(folder);
    quick.read();
    thorough.read();
    std::shared_ptr<const CycleRecord> record = quick.engine.run(kNoon + step * kSecondUs, 1);
    CycleRecord all = *record;
    all.touched = Touched();
    assume(quick.engine.cluster(), *record);
    assume(thorough.engine.cluster(), all);
    quick.engine.cluster().check_invariants();
    ASSERT_EQ(text_of(quick.engine.cluster()), text_of(thorough.engine.cluster()));
    quick.carry_out(seed + static_cast<uint64_t>(step));
    thorough.carry_out(seed + static_cast<uint64_t>(step));
  }
}

TEST(Assume, LooksAtAllThatACycleTouched) {
  uint64_t seeds = long_run(200, 5'000);
  for (uint64_t seed = 1; seed <= seeds && !testing::Test::HasFailure(); ++seed) {
    assume_both_ways(seed);
  }
}

}  // namespace
}  // namespace trellis::assume_test
