// A cycle is a pure function of its input: what the observer saves of a cycle decides the same,
// byte for byte, in a program that has never seen the cluster before.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "server/explain/explain_answer.h"
#include "server/output/decisions.h"
#include "server/output/json_writer.h"
#include "server/serve/cycle_runner.h"
#include "server/serve/file_source.h"
#include "server/serve/observer.h"
#include "server/serve/snapshot_text.h"
#include "tests/server/serve/random_objects.h"
#include "tests/server/serve/temporary_folder.h"
#include "tests/support/long_run.h"
#include "tests/support/seed_guard.h"

namespace trellis {
namespace {

constexpr TimeUs kNoon = 1'767'268'800 * kSecondUs;  // 2026-01-01T12:00:00Z
constexpr int kSteps = 5;

std::string decisions_json(const Cluster& cluster, const CycleRecord& record) {
  StringSink sink;
  JsonWriter out(sink, 2);
  write_decisions(out, cluster, record, 1);
  return sink.text();
}

// What is to be said about every gang.
std::string explanations(Engine& engine, const CycleRecord& record) {
  StringSink sink;
  const Cluster& cluster = engine.cluster();
  for (GangId gang : cluster.gangs_by_name()) {
    const Gang& named = cluster.gangs()[gang];
    ExplainQuestion question{
        .kind = ExplainQuestion::Kind::Gang,
        .name_space = std::string(cluster.vocabulary().strings.view(named.name_space)),
        .name = named.name};
    sink.write(explain(question, engine, record, {.format = OutputFormat::Json}, sink));
  }
  return sink.text();
}

struct Saved {
  std::string snapshot;
  std::string decisions;
  std::string explanations;
};

Saved look(Observer& observer) {
  Saved saved;
  observer.ask([&](const Observer::View& view) {
    StringSink sink;
    write_snapshot(sink, view);
    saved.snapshot = sink.text();
    saved.decisions = decisions_json(view.engine.cluster(), *view.cycle.record);
    saved.explanations = explanations(view.engine, *view.cycle.record);
  });
  return saved;
}

Saved replay(const std::string& snapshot) {
  Engine engine{Config()};
  Manifest manifest = read_manifest_text("snapshot.jsonl", snapshot, engine.vocabulary());
  EXPECT_TRUE(manifest.cycle.has_value());
  if (!manifest.cycle) return {};
  engine.configure(manifest.cycle->config);
  hold_others(manifest.objects, engine.vocabulary().strings,
              manifest.cycle->config.scheduler_names);
  engine.cluster().add(std::move(manifest.objects));
  std::shared_ptr<const CycleRecord> record = engine.run(manifest.cycle->now, 1);
  return {snapshot, decisions_json(engine.cluster(), *record), explanations(engine, *record)};
}

Config random_config(uint64_t seed) {
  Config config;
  config.seed = seed;
  if (seed % 3 == 1) config.placement_strategy.gpu = Strategy::Spread;
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
    Saved saved = look(observer);
    Saved again = replay(saved.snapshot);
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
}  // namespace trellis
