// A cycle is a pure function of its input: what the observer saves of a cycle decides the same,
// byte for byte, in a program that has never seen the cluster before.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "server/serve/cycle_runner.h"
#include "server/serve/observer.h"
#include "server/sources/file_source.h"
#include "tests/server/serve/saved_cycle.h"
#include "tests/server/sources/random_objects.h"
#include "tests/server/system/temporary_folder.h"
#include "tests/support/long_run.h"
#include "tests/support/seed_guard.h"

namespace trellis::replay_test {
namespace {

constexpr TimeUs kNoon = 1'767'268'800 * kSecondUs;  // 2026-01-01T12:00:00Z
constexpr int kSteps = 5;

test::SavedCycle replay(const std::string& snapshot) {
  Engine engine{Config()};
  Manifest manifest = read_manifest_text("snapshot.jsonl", snapshot, engine.vocabulary(),
                                         {.settings = std::nullopt});
  EXPECT_TRUE(manifest.cycle.has_value());
  if (!manifest.cycle) return {};
  engine.configure(manifest.cycle->config);
  engine.scheduler().recall(manifest.cycle->learned);
  engine.cluster().add(std::move(manifest.objects));
  std::shared_ptr<const CycleRecord> record = engine.run(manifest.cycle->now, 1);
  return {snapshot, test::decisions_json(engine.cluster(), *record),
          test::explanations(engine, *record)};
}

Config random_config(uint64_t seed) {
  Config config;
  if (seed % 3 == 1) config.placement_strategy.gpu = Strategy::Spread;
  if (seed % 3 == 2) config.placement_strategy.gpu = Strategy::Fragmentation;
  if (seed % 4 == 1) config.placement_strategy.domain = Strategy::Spread;
  if (seed % 5 == 1) config.scheduler_names = {"default-scheduler"};
  if (seed % 2 == 1) config.limits.staleness_grace_period_us = kSecondUs;
  if (seed % 7 == 1) config.plugins["nodeplacement"].enabled = false;
  return config;
}

void run_and_replay(uint64_t seed) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  SeedGuard guard(seed);
  test::TemporaryFolder folder;
  test::RandomObjects objects(seed);
  Config config = random_config(seed);
  CycleRunner runner(std::make_unique<FileSource>(std::vector<std::string>{folder.path()}), config);
  Observer observer(config);
  for (int step = 0; step < kSteps; ++step) {
    if (step > 0) objects.step();
    if (step == 3) {
      config = random_config(seed + 1);
      runner.configure(config);
    }
    objects.write(folder);
    runner.poll();
    std::shared_ptr<const FinishedCycle> cycle = runner.run(kNoon + step * kSecondUs);
    runner.engine().cluster().check_invariants();
    if (cycle) observer.publish(std::move(cycle), runner.take_input());
    test::SavedCycle saved = test::save_cycle(observer);
    test::SavedCycle again = replay(saved.snapshot);
    ASSERT_EQ(saved.decisions, again.decisions) << saved.snapshot;
    ASSERT_EQ(saved.explanations, again.explanations) << saved.snapshot;
  }
}

TEST(Replay, WhatIsSavedOfACycleDecidesTheSame) {
  uint64_t seeds = long_run(200, 2'000);  // of kSteps cycles each
  for (uint64_t seed = 1; seed <= seeds && !testing::Test::HasFailure(); ++seed) {
    run_and_replay(seed);
  }
}

}  // namespace
}  // namespace trellis::replay_test
