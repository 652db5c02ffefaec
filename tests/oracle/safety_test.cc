// What must hold after every cycle, whatever is decided: nothing oversubscribed, gangs all or
// nothing, required domains kept, and no pod left waiting that still fits.

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "tests/oracle/tiny_world.h"
#include "tests/oracle/truth.h"
#include "tests/support/long_run.h"
#include "tests/support/seed_guard.h"
#include "tests/support/world.h"

namespace trellis::oracle::safety_test {
namespace {

bool decided(const PodOutcome& outcome) {
  return outcome.action == "allocate" &&
         (outcome.status == PodStatus::Bound || outcome.status == PodStatus::Pipelined);
}

// The plan after a cycle: what was bound runs, some of what ran leaves, new pods come.
class Life {
 public:
  Life(uint64_t seed, const TinyLimits& limits)
      : plan(tiny_world(seed, limits)), world(plan), random_(seed) {
    world.config.actions = {"allocate"};
  }

  void check_cycle() {
    world.cycle();
    Truth truth(plan);
    std::vector<int> before;
    for (const auto& gang : plan.gangs) before.push_back(truth.placed(gang.name));
    for (const auto& pod : plan.pods) {
      const PodOutcome& outcome = world.record().pods[world.pod_id(pod.name)];
      if (!decided(outcome)) continue;
      std::vector<int> devices;
      for (const GpuPart& part : outcome.gpus) devices.push_back(part.device);
      FitMode mode = outcome.status == PodStatus::Bound ? FitMode::Now : FitMode::Future;
      ASSERT_TRUE(truth.put(pod.name, world.node_of(pod.name), mode, devices))
          << pod.name << " cannot be on " << world.node_of(pod.name);
    }
    for (size_t i = 0; i < plan.gangs.size(); ++i) {
      check_gang(plan.gangs[i], before[i], truth);
      if (::testing::Test::HasFatalFailure()) return;
    }
  }

  void pass_time() {
    for (auto& pod : plan.pods) {
      const PodOutcome& outcome = world.record().pods[world.pod_id(pod.name)];
      if (outcome.status == PodStatus::Bound && decided(outcome)) {
        pod.args.node = world.node_of(pod.name);
        pod.args.status = PodStatus::Running;
        pod.args.gpu_groups.clear();
        for (const GpuPart& part : outcome.gpus) {
          pod.args.gpu_groups.push_back(std::to_string(part.device));
        }
      } else if (pod.args.status == PodStatus::Running && random_.chance(25)) {
        pod.args.status = PodStatus::Releasing;
      } else if (pod.args.status == PodStatus::Releasing && random_.chance(60)) {
        pod.args.status = PodStatus::Pending;
        pod.args.node.clear();
        pod.args.gpu_groups.clear();
      }
    }
    world.add(plan);
  }

  Plan plan;
  World world;

 private:
  void check_gang(const Plan::GangPlan& gang, int before, const Truth& truth) {
    SCOPED_TRACE(gang.name);
    int after = truth.placed(gang.name);
    int minimum = gang.args.min_member;
    ASSERT_TRUE(after == before || after >= minimum) << "a part of a gang";
    const GangOutcome& outcome = world.gang_outcome(gang.name);
    std::vector<std::string> waiting = truth.waiting(gang.name);
    bool content = waiting.empty() && after >= minimum;
    ASSERT_FALSE(content && !outcome.reasons.empty()) << "a reason without need";
    ASSERT_FALSE(!waiting.empty() && outcome.reasons.empty()) << "waits without a reason";
    check_domain(gang, truth);
    if (waiting.empty()) return;
    int need = std::max(1, minimum - after);
    if (static_cast<int>(waiting.size()) < need) return;
    ASSERT_NE(outcome.reasons[0].code, ReasonCode::SearchBudgetExhausted);
    ASSERT_TRUE(truth.places(gang.name, need).empty()) << "waits, but still fits; needs " << need;
  }

  // New pods are in a required domain where older ones are; without older ones, all in one. Where
  // older ones are outside of every such domain, there are no new ones.
  void check_domain(const Plan::GangPlan& gang, const Truth& truth) {
    int required = truth.required(gang.name);
    if (required < 0) return;
    std::set<Path> old;
    std::set<Path> fresh;
    bool stands = false;
    for (const auto& pod : plan.pods) {
      std::string node = world.node_of(pod.name);
      if (pod.gang != gang.name || node.empty()) continue;
      bool is_new = decided(world.record().pods[world.pod_id(pod.name)]);
      if (!is_new && pod.args.status == PodStatus::Releasing) continue;
      Path domain = truth.domain_of(node, gang.name, required);
      if (is_new) {
        ASSERT_EQ(static_cast<int>(domain.size()), required + 1) << node << " has no such domain";
        fresh.insert(domain);
        continue;
      }
      stands = true;
      if (static_cast<int>(domain.size()) == required + 1) old.insert(domain);
    }
    if (!stands) {
      ASSERT_LE(fresh.size(), 1u) << "spans required domains";
    } else {
      ASSERT_TRUE(std::includes(old.begin(), old.end(), fresh.begin(), fresh.end()));
    }
  }

  Random random_;
};

void live(uint64_t first, uint64_t count, const TinyLimits& limits, int cycles) {
  for (uint64_t seed = first; seed < first + count; ++seed) {
    SeedGuard guard(seed);
    SCOPED_TRACE("seed " + std::to_string(seed));
    Life life(seed, limits);
    for (int cycle = 0; cycle < cycles; ++cycle) {
      if (cycle > 0) life.pass_time();
      life.check_cycle();
      if (::testing::Test::HasFailure()) {
        FAIL() << "cycle " << cycle << "\n" << life.plan.text() << life.world.decisions();
      }
    }
  }
}

TEST(Safety, SeveralGangs) {
  live(1, long_run(1000, 20'000), {.nodes = 6, .pods = 4, .gangs = 4}, 4);
}

TEST(Safety, ManySmallGangs) {
  live(500'000, long_run(500, 10'000), {.nodes = 8, .pods = 2, .gangs = 10}, 4);
}

}  // namespace
}  // namespace trellis::oracle::safety_test
