// A cluster that begins anew goes on as if it had not: what is decided, said and saved is the same.
#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>

#include "server/serve/cycle_runner.h"
#include "server/serve/observer.h"
#include "tests/server/serve/random_texts.h"
#include "tests/server/serve/saved_cycle.h"
#include "tests/support/linked_source.h"
#include "tests/support/long_run.h"
#include "tests/support/seed_guard.h"

namespace trellis {
namespace {

constexpr TimeUs kNoon = 1'767'268'800 * kSecondUs;  // 2026-01-01T12:00:00Z
constexpr int kSteps = 15;

class Shared : public test::LinkedSource {
 public:
  Shared(std::shared_ptr<const Texts> texts, Decisions decisions)
      : LinkedSource(decisions), texts_(std::move(texts)) {}

 protected:
  Texts texts() const override { return *texts_; }

 private:
  std::shared_ptr<const Texts> texts_;
};

// Cycles on these texts, and who follows them.
struct Followed {
  Followed(const std::shared_ptr<const Shared::Texts>& texts, Decisions decisions)
      : runner(std::make_unique<Shared>(texts, decisions), Config()), observer(Config()) {}

  void turn(TimeUs now) {
    runner.poll();
    std::shared_ptr<const FinishedCycle> cycle = runner.run(now);
    runner.engine().cluster().check_invariants();
    if (!cycle) return;
    cluster = cycle->cluster;
    decided_nothing = cycle->record->decisions.empty();
    observer.publish(std::move(cycle), runner.take_input());
  }

  CycleRunner runner;
  Observer observer;
  int64_t cluster = 0;
  bool decided_nothing = true;
};

// Something new each time, so that a cycle runs.
std::string tick(int step) {
  return R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"tick","labels":{"step":")" +
         std::to_string(step) + R"("}},"status":{"allocatable":{}}})";
}

struct Moved {
  int64_t began = 0;
  int64_t decided = 0;  // cycles that decided something after that
};

Moved run(uint64_t seed) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  SeedGuard guard(seed);
  std::mt19937_64 random(seed);
  test::RandomTexts random_texts(seed);
  auto texts = std::make_shared<Shared::Texts>();
  Decisions decisions = seed % 4 == 0 ? Decisions::AreShown : Decisions::AreAssumed;
  Followed steady(texts, decisions);
  Followed anew(texts, decisions);
  Moved moved;
  for (int step = 0; step < kSteps && !testing::Test::HasFailure(); ++step) {
    SCOPED_TRACE("step " + std::to_string(step));
    for (const NamedText& change : random_texts.step(step == 0 ? 60 : static_cast<int>(random() % 3))) {
      if (change.text) {
        (*texts)[change.name] = *change.text;
      } else {
        texts->erase(change.name);
      }
    }
    (*texts)["nodes/tick"] = tick(step);
    if (step > 0 && random() % 3 == 0 && anew.runner.begin_anew()) ++moved.began;
    steady.turn(kNoon + step * kSecondUs);
    anew.turn(kNoon + step * kSecondUs);
    EXPECT_EQ(anew.cluster, 1 + moved.began);
    test::SavedCycle expected = test::save_cycle(steady.observer);
    test::SavedCycle made = test::save_cycle(anew.observer);
    EXPECT_EQ(made.decisions, expected.decisions);
    EXPECT_EQ(made.explanations, expected.explanations);
    EXPECT_EQ(made.snapshot, expected.snapshot);
    if (moved.began > 0 && !anew.decided_nothing) ++moved.decided;
  }
  return moved;
}

TEST(BeginAnew, WhatIsDecidedAndSaidIsTheSame) {
  uint64_t seeds = long_run(100, 2'000);
  Moved all;
  for (uint64_t seed = 1; seed <= seeds && !testing::Test::HasFailure(); ++seed) {
    Moved one = run(seed);
    all.began += one.began;
    all.decided += one.decided;
  }
  EXPECT_GT(all.began, static_cast<int64_t>(seeds));
  EXPECT_GT(all.decided, static_cast<int64_t>(seeds));
}

TEST(BeginAnew, NamesThatAreGoneDoNotAddUp) {
  auto texts = std::make_shared<Shared::Texts>();
  Followed followed(texts, Decisions::AreAssumed);
  size_t most = 0;
  constexpr int kTurns = 40;
  constexpr int kPods = 500;  // a turn, gone with the next
  for (int turn = 0; turn < kTurns; ++turn) {
    texts->clear();
    for (int i = 0; i < kPods; ++i) {
      std::string name = "p-" + std::to_string(turn) + "-" + std::to_string(i);
      (*texts)["pods/default/" + name] =
          R"({"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"default","name":")" + name +
          R"("},"spec":{"containers":[{"name":"c"}]}})";
    }
    followed.turn(kNoon + turn * kSecondUs);
    most = std::max(most, followed.runner.engine().cluster().vocabulary().strings.size());
  }
  // Each pod names itself and its gang.
  EXPECT_GT(followed.cluster, 1);
  EXPECT_LT(most, size_t{2} * kPods * kTurns / 2);
}

}  // namespace
}  // namespace trellis
