// A cluster that is rebuilt goes on as if it had not been: what is decided, said and saved is the
// same.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "server/serve/cycle_runner.h"
#include "server/serve/observer.h"
#include "tests/server/serve/saved_cycle.h"
#include "tests/server/sources/random_texts.h"
#include "tests/support/incremental_source.h"
#include "tests/support/long_run.h"
#include "tests/support/seed_guard.h"

namespace trellis::cluster_rebuild_test {
namespace {

constexpr TimeUs kNoon = 1'767'268'800 * kSecondUs;  // 2026-01-01T12:00:00Z
constexpr int kSteps = 15;

class Shared : public test::IncrementalSource {
 public:
  Shared(std::shared_ptr<const Texts> texts, ExecutionMode mode)
      : IncrementalSource(mode), texts_(std::move(texts)) {}

 protected:
  Texts texts() const override { return *texts_; }

 private:
  std::shared_ptr<const Texts> texts_;
};

// Cycles on these texts, and who follows them.
struct Followed {
  Followed(const std::shared_ptr<const Shared::Texts>& texts, ExecutionMode mode)
      : runner(std::make_unique<Shared>(texts, mode), Config()), observer(Config()) {}

  void turn(TimeUs now) {
    runner.poll();
    std::shared_ptr<const FinishedCycle> cycle = runner.run(now);
    runner.engine().cluster().check_invariants();
    if (!cycle) return;
    cluster_number = cycle->cluster_number;
    decided_nothing = cycle->record->decisions.empty();
    observer.publish(std::move(cycle), runner.take_input());
  }

  CycleRunner runner;
  Observer observer;
  int64_t cluster_number = 0;
  bool decided_nothing = true;
};

// Something new each time, so that a cycle runs.
std::string tick(int step) {
  return R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"tick","labels":{"step":")" +
         std::to_string(step) + R"("}},"status":{"allocatable":{}}})";
}

// Which workloads had to leave, and when.
std::vector<std::string> departures(Observer& observer) {
  std::vector<std::string> said;
  observer.ask([&](const Observer::View& view) {
    const WorkloadRecords& workloads = view.engine.cluster().workloads();
    const WorkloadNotes& notes = view.engine.workload_notes();
    for (uint32_t i = 0; i < workloads.workloads().size(); ++i) {
      WorkloadId id(i);
      if (!workloads.workloads().alive(id) || notes[id].evicted_at == kNoTime) continue;
      said.push_back(workloads[id].name + " " + std::to_string(notes[id].evicted_at));
    }
  });
  std::ranges::sort(said);
  return said;
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
  ExecutionMode mode = seed % 4 == 0 ? ExecutionMode::DryRun : ExecutionMode::Assume;
  Followed steady(texts, mode);
  Followed rebuilt(texts, mode);
  Moved moved;
  for (int step = 0; step < kSteps && !testing::Test::HasFailure(); ++step) {
    SCOPED_TRACE("step " + std::to_string(step));
    for (const NamedText& change :
         random_texts.step(step == 0 ? 60 : static_cast<int>(random() % 3))) {
      if (change.text) {
        (*texts)[change.name] = change.text.str();
      } else {
        texts->erase(change.name);
      }
    }
    (*texts)["nodes/tick"] = tick(step);
    if (step > 0 && random() % 3 == 0 && rebuilt.runner.rebuild_cluster()) ++moved.began;
    steady.turn(kNoon + step * kSecondUs);
    rebuilt.turn(kNoon + step * kSecondUs);
    EXPECT_EQ(rebuilt.cluster_number, 1 + moved.began);
    test::SavedCycle expected = test::save_cycle(steady.observer);
    test::SavedCycle made = test::save_cycle(rebuilt.observer);
    EXPECT_EQ(made.decisions, expected.decisions);
    EXPECT_EQ(made.explanations, expected.explanations);
    EXPECT_EQ(made.snapshot, expected.snapshot);
    if (moved.began > 0 && !rebuilt.decided_nothing) ++moved.decided;
  }
  return moved;
}

TEST(ClusterRebuild, WhatIsDecidedAndSaidIsTheSame) {
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

// Pods of one gang are held for different reasons; which of them came last is no matter.
TEST(ClusterRebuild, AGangOfHeldPodsHasTheSameReason) { EXPECT_GT(run(265).began, 0); }

TEST(ClusterRebuild, PodsShareTheGpusThatTheyShared) {
  auto texts = std::make_shared<Shared::Texts>();
  Followed steady(texts, ExecutionMode::Assume);
  Followed rebuilt(texts, ExecutionMode::Assume);
  (*texts)["nodes/n1"] = R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n1"},"status":)"
                         R"({"allocatable":{"cpu":"8","nvidia.com/gpu":"2","pods":"9"}}})";
  for (int turn = 0; turn < 4; ++turn) {
    SCOPED_TRACE("turn " + std::to_string(turn));
    std::string name = "p" + std::to_string(turn);
    (*texts)["pods/default/" + name] =
        R"({"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"default","name":")" + name +
        R"(","annotations":{"gpu-fraction":"0.4"}},"spec":{"containers":[{"name":"c"}]}})";
    EXPECT_TRUE(turn == 0 || rebuilt.runner.rebuild_cluster());
    steady.turn(kNoon + turn * kSecondUs);
    rebuilt.turn(kNoon + turn * kSecondUs);
    test::SavedCycle expected = test::save_cycle(steady.observer);
    test::SavedCycle made = test::save_cycle(rebuilt.observer);
    EXPECT_EQ(made.decisions, expected.decisions);
    EXPECT_EQ(made.snapshot, expected.snapshot);
    // The snapshot is of what the cycle found.
    bool shared = made.snapshot.find("runai-gpu-group") != std::string::npos;
    EXPECT_EQ(shared, turn > 0) << made.snapshot;
  }
}

// A pod that another scheduler bound takes the slot of a pod that cycles bound.
TEST(ClusterRebuild, ANewPodHasNoNotesOfThePodWhoseSlotItTakes) {
  auto texts = std::make_shared<Shared::Texts>();
  Followed followed(texts, ExecutionMode::Assume);
  auto pod = [](const std::string& name, const std::string& uid, const std::string& spec) {
    return R"({"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"default","name":")" + name +
           R"(","uid":")" + uid + R"("},"spec":{"containers":[{"name":"c"}])" + spec +
           (spec.empty() ? "}}" : R"(},"status":{"phase":"Running"}})");
  };
  const std::string bound = R"(,"nodeName":"n1")";
  (*texts)["nodes/n1"] = R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n1"},"status":)"
                         R"({"allocatable":{"cpu":"8","pods":"9"}}})";
  (*texts)["pods/default/a"] = pod("a", "1", "");
  followed.turn(kNoon);
  auto has_rank = [&followed] {
    return test::save_cycle(followed.observer).snapshot.find("trellis.scheduler/rank") !=
           std::string::npos;
  };
  (*texts)["nodes/tick"] = tick(1);
  followed.turn(kNoon + kSecondUs);
  EXPECT_TRUE(has_rank());  // `a` is bound, and has the note
  texts->erase("pods/default/a");
  (*texts)["pods/default/b"] = pod("b", "2", bound);
  followed.turn(kNoon + 2 * kSecondUs);
  EXPECT_FALSE(has_rank());
  (*texts)["pods/default/b"] = pod("b", "3", "");
  followed.turn(kNoon + 3 * kSecondUs);
  (*texts)["pods/default/b"] = pod("b", "4", bound);  // the same name, another pod
  followed.turn(kNoon + 4 * kSecondUs);
  EXPECT_FALSE(has_rank());
}

std::string kueue(const std::string& kind, const std::string& name, const std::string& spec) {
  return R"({"apiVersion":"kueue.x-k8s.io/v1beta2","kind":")" + kind +
         R"(","metadata":{"namespace":"default","name":")" + name + R"("},"spec":{)" + spec + "}}";
}

std::string workload(const std::string& name, const std::string& priority) {
  return kueue("Workload", name,
               R"("queueName":"lq","priority":)" + priority +
                   R"(,"podSets":[{"name":"main","count":1,"template":{"spec":{"containers":)"
                   R"([{"name":"c","resources":{"requests":{"cpu":"1"}}}]}}}])");
}

TEST(ClusterRebuild, WorkloadsThatHadToLeaveAreKnown) {
  auto texts = std::make_shared<Shared::Texts>();
  Followed followed(texts, ExecutionMode::Assume);
  (*texts)["resourceflavors.kueue.x-k8s.io/f"] = kueue("ResourceFlavor", "f", "");
  (*texts)["localqueues.kueue.x-k8s.io/default/lq"] =
      kueue("LocalQueue", "lq", R"("clusterQueue":"cq")");
  (*texts)["clusterqueues.kueue.x-k8s.io/cq"] =
      kueue("ClusterQueue", "cq",
            R"("namespaceSelector":{},"preemption":{"withinClusterQueue":"LowerPriority"},)"
            R"("resourceGroups":[{"coveredResources":["cpu"],"flavors":[{"name":"f",)"
            R"("resources":[{"name":"cpu","nominalQuota":"1"}]}]}])");
  (*texts)["workloads.kueue.x-k8s.io/default/low"] = workload("low", "1");
  followed.turn(kNoon);
  (*texts)["workloads.kueue.x-k8s.io/default/high"] = workload("high", "2");
  followed.turn(kNoon + kSecondUs);
  std::vector<std::string> left = departures(followed.observer);
  EXPECT_EQ(left.size(), 1U);
  EXPECT_TRUE(followed.runner.rebuild_cluster());
  followed.turn(kNoon + 2 * kSecondUs);
  EXPECT_EQ(departures(followed.observer), left);
}

TEST(ClusterRebuild, NamesThatAreGoneDoNotAddUp) {
  auto texts = std::make_shared<Shared::Texts>();
  Followed followed(texts, ExecutionMode::Assume);
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
  EXPECT_GT(followed.cluster_number, 1);
  EXPECT_LT(most, size_t{2} * kPods * kTurns / 2);
}

}  // namespace
}  // namespace trellis::cluster_rebuild_test
