// Tiny worlds: what the gang search does against what is possible at all.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "session/cycle/gang_step.h"
#include "tests/oracle/tiny_world.h"
#include "tests/oracle/truth.h"
#include "tests/support/long_run.h"
#include "tests/support/world.h"

namespace trellis::oracle::exhaustive_test {
namespace {

struct Placed {
  std::string pod;
  std::string node;
  FitMode mode = FitMode::Now;
  std::vector<int> devices;
};

class Case {
 public:
  explicit Case(uint64_t seed, const TinyLimits& limits = {})
      : plan(tiny_world(seed, limits)),
        truth(plan),
        world(plan),
        session(world.scheduler().open(0)),
        search(session) {}

  // Steps of one gang, each checked, until it waits or has no more pods.
  void run(const std::string& gang) {
    GangProgress progress(world.gang_id(gang));
    bool more = true;
    while (more && !::testing::Test::HasFatalFailure()) step(gang, progress, more);
  }

  Plan plan;
  Truth truth;
  World world;
  Session& session;
  GangSearch search;
  int steps_placed = 0;

 private:
  std::vector<Placed> decisions() {
    std::vector<Placed> all;
    for (const Decision& decision : session.statement().decisions()) {
      Placed& placed = all.emplace_back();
      placed.pod = world.cluster.pods()[decision.pod].pod.name;
      placed.node = world.cluster.nodes()[decision.node].name;
      placed.mode = decision.kind == Decision::Kind::Bind ? FitMode::Now : FitMode::Future;
      for (const GpuPart& part : session.snapshot().grant(decision.pod)) {
        placed.devices.push_back(part.device);
      }
    }
    return all;
  }

  void step(const std::string& gang, GangProgress& progress, bool& more) {
    more = false;
    int placed = truth.placed(gang);
    int waiting = static_cast<int>(truth.waiting(gang).size());
    int minimum = plan_gang(gang).min_member;
    int need = placed < minimum ? minimum - placed : 1;
    if (!gang_refusals(session, progress.gang()).empty()) {
      ASSERT_LT(waiting, need) << "refused";
      return;
    }
    GangStep step = progress.next(session, search);
    if (waiting == 0) {
      ASSERT_EQ(step.result, GangStep::Result::Nothing);
      return;
    }
    std::vector<Truth::Answer> answers = truth.places(gang, need);
    bool found = step.result == GangStep::Result::Placed;
    ASSERT_NE(step.code, ReasonCode::SearchBudgetExhausted);
    ASSERT_EQ(found, !answers.empty())
        << (found ? "placed what cannot be" : "did not place what can be") << ", need " << need;
    if (!found) {
      ASSERT_EQ(session.statement().decision_count(), 0u) << "left something behind";
      return;
    }
    more = true;
    ++steps_placed;
    check(gang, answers);
    session.commit("test");
  }

  // The answer whose domains hold all the nodes; else any.
  const Truth::Answer& met(const std::string& gang, const std::vector<Truth::Answer>& answers) {
    std::vector<Placed> made = decisions();
    auto found = std::ranges::find_if(answers, [&](const Truth::Answer& answer) {
      return std::ranges::any_of(answer.domains, [&](const Path& domain) {
        return std::ranges::all_of(
            made, [&](const Placed& placed) { return truth.inside(placed.node, gang, domain); });
      });
    });
    return found == answers.end() ? answers.front() : *found;
  }

  void check(const std::string& gang, const std::vector<Truth::Answer>& answers) {
    const Truth::Answer& answer = met(gang, answers);
    std::vector<Placed> made = decisions();
    std::vector<std::string> pods;
    std::vector<std::string> nodes;
    for (const Placed& placed : made) {
      pods.push_back(placed.pod);
      nodes.push_back(placed.node);
    }
    std::sort(pods.begin(), pods.end());
    std::vector<std::string> wanted;
    for (const auto& row : answer.choice) wanted.insert(wanted.end(), row.begin(), row.end());
    std::sort(wanted.begin(), wanted.end());
    ASSERT_EQ(pods, wanted) << "pods that make up the step";
    FitMode mode = made.front().mode;
    ASSERT_EQ(mode, answer.mode) << "bound where it could be, promised only where it must";

    auto domain =
        std::find_if(answer.domains.begin(), answer.domains.end(), [&](const Path& candidate) {
          return std::all_of(nodes.begin(), nodes.end(), [&](const std::string& node) {
            return truth.inside(node, gang, candidate);
          });
        });
    ASSERT_NE(domain, answer.domains.end()) << "not inside a lowest domain, level " << answer.level;
    int split = truth.preferred_or_deepest(gang);
    if (answer.level < split && !plan_gang(gang).preferred.empty()) {
      ASSERT_EQ(truth.parts_used(gang, nodes, split),
                truth.fewest_parts(gang, pods, mode, *domain, split))
          << "preferred domains used";
    }
    for (const Placed& placed : made) {
      ASSERT_EQ(placed.mode, mode);
      ASSERT_TRUE(truth.put(placed.pod, placed.node, placed.mode, placed.devices))
          << placed.pod << " cannot be on " << placed.node;
    }
  }

  const GangArgs& plan_gang(const std::string& name) const {
    auto found = std::find_if(plan.gangs.begin(), plan.gangs.end(),
                              [&](const auto& gang) { return gang.name == name; });
    return found->args;
  }
};

void run_worlds(uint64_t first, uint64_t count, const TinyLimits& limits) {
  int placed = 0;
  for (uint64_t seed = first; seed < first + count; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Case made(seed, limits);
    made.run("g0");
    if (::testing::Test::HasFailure()) {
      std::string decided;
      for (const Decision& decision : made.session.statement().decisions()) {
        decided += made.world.cluster.pods()[decision.pod].pod.name + " -> " +
                   made.world.cluster.nodes()[decision.node].name + "\n";
      }
      FAIL() << made.plan.text() << decided;
    }
    placed += made.steps_placed > 0 ? 1 : 0;
  }
  EXPECT_GT(placed, static_cast<int>(count) / 4) << "most worlds should place something";
}

TEST(Exhaustive, WholeGpusAndNoPodLeaves) {
  run_worlds(1, long_run(3000, 100'000), {.leaving = false, .sharing = false});
}

TEST(Exhaustive, SomeLeave) { run_worlds(1'000'000, long_run(3000, 100'000), {.sharing = false}); }

TEST(Exhaustive, SharedGpus) { run_worlds(2'000'000, long_run(3000, 100'000), {.leaving = false}); }

TEST(Exhaustive, SharedGpusAndSomeLeave) { run_worlds(3'000'000, long_run(3000, 100'000), {}); }

}  // namespace
}  // namespace trellis::oracle::exhaustive_test
