// Consolidation beside exhaustive search where more gangs run than every set of them is tried: a
// gang that has a place once others move gets it, and no other has a reason that says it might.

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "tests/support/long_run.h"
#include "tests/support/random.h"
#include "tests/support/seed_guard.h"
#include "tests/support/world.h"

namespace trellis::oracle::consolidation_test {
namespace {

constexpr int kGpus = 8;  // of a node

struct Case {
  struct Running {
    int node = 0;
    int gpus = 1;
    bool fixed = false;
  };
  int nodes = 2;
  std::vector<bool> cordoned = {};  // by node
  std::vector<Running> running;     // each a gang of its own
  int pods = 1;                     // of the gang that waits
  int gpus_each = 1;

  std::string text() const {
    std::string text = std::to_string(nodes) + " nodes;";
    for (size_t node = 0; node < cordoned.size(); ++node) {
      if (cordoned[node]) text += " n" + std::to_string(node) + " cordoned;";
    }
    text += " run";
    for (const Running& one : running) {
      text += " n" + std::to_string(one.node) + ":" + std::to_string(one.gpus);
      if (one.fixed) text += "!";
    }
    return text + "; wants " + std::to_string(pods) + " x " + std::to_string(gpus_each);
  }
};

bool pack(std::vector<int>& free, const std::vector<int>& pods, size_t at) {
  if (at == pods.size()) return true;
  for (size_t node = 0; node < free.size(); ++node) {
    bool seen = std::find(free.begin(), free.begin() + static_cast<std::ptrdiff_t>(node),
                          free[node]) != free.begin() + static_cast<std::ptrdiff_t>(node);
    if (seen || free[node] < pods[at]) continue;
    free[node] -= pods[at];
    bool fits = pack(free, pods, at + 1);
    free[node] += pods[at];
    if (fits) return true;
  }
  return false;
}

// Whether the gang has a place if the running pods may move (or stay where they are). What runs on
// a cordoned node is in no way there.
bool has_place(const Case& one, bool moves) {
  std::vector<int> free(static_cast<size_t>(one.nodes), kGpus);
  std::vector<int> pods(static_cast<size_t>(one.pods), one.gpus_each);
  for (const Case::Running& running : one.running) {
    auto node = static_cast<size_t>(running.node);
    if (moves && !running.fixed && !one.cordoned[node]) {
      pods.push_back(running.gpus);
    } else {
      free[node] -= running.gpus;
    }
  }
  for (size_t node = 0; node < free.size(); ++node) {
    if (one.cordoned[node]) free[node] = 0;
  }
  std::sort(pods.rbegin(), pods.rend());
  return pack(free, pods, 0);
}

Case make_case(uint64_t seed, int cordoned_percent) {
  Random random(seed);
  while (true) {
    Case one;
    one.nodes = static_cast<int>(random.between(2, 5));
    std::vector<int> free(static_cast<size_t>(one.nodes), kGpus);
    for (auto tries = random.between(10, 30); tries > 0; --tries) {
      Case::Running running;
      running.node = static_cast<int>(random.below(static_cast<uint32_t>(one.nodes)));
      running.gpus = static_cast<int>(random.between(1, 5));
      running.fixed = random.chance(15);
      int& left = free[static_cast<size_t>(running.node)];
      if (left < running.gpus) continue;
      left -= running.gpus;
      one.running.push_back(running);
    }
    one.pods = static_cast<int>(random.between(1, 3));
    one.gpus_each = static_cast<int>(random.between(2, 8));
    for (int& left : free) {
      one.cordoned.push_back(cordoned_percent > 0 && random.chance(cordoned_percent));
      if (one.cordoned.back()) left = 0;
    }
    int left = std::accumulate(free.begin(), free.end(), 0);
    if (left >= one.pods * one.gpus_each && !has_place(one, false)) return one;
  }
}

void fill(World& world, const Case& one) {
  world.config.actions = {"consolidation"};
  world.config.limits.consolidation_victims = -1;
  for (int i = 0; i < one.nodes; ++i) {
    bool cordoned = one.cordoned[static_cast<size_t>(i)];
    world.node("n" + std::to_string(i), {.gpu = kGpus, .unschedulable = cordoned});
  }
  for (size_t i = 0; i < one.running.size(); ++i) {
    const Case::Running& running = one.running[i];
    std::string name = "v" + std::to_string(i);
    world.gang(name, {.min_member = 1, .preemptible = !running.fixed});
    world.pod(name + "-0", name,
              {.gpu = running.gpus,
               .node = "n" + std::to_string(running.node),
               .status = PodStatus::Running});
  }
  world.gang("g", {.count = one.pods, .pod = {.gpu = one.gpus_each}});
}

void expect_as_exhaustive_search(int cordoned_percent) {
  uint64_t cases = long_run(2'000, 40'000);
  int possible = 0;
  int denied = 0;
  for (uint64_t seed = 1; seed <= cases; ++seed) {
    SeedGuard guard(seed);
    Case one = make_case(seed, cordoned_percent);
    World world;
    fill(world, one);
    world.cycle();
    bool ours = world.gang_outcome("g").status == GangStatus::Pipelined;
    bool truth = has_place(one, true);
    ASSERT_EQ(ours, truth) << "seed " << seed << ": " << one.text();
    possible += truth ? 1 : 0;
    bool no_fit = std::ranges::any_of(world.gang_outcome("g").reasons, [](const Reason& reason) {
      return reason.code == ReasonCode::VictimsNoFit;
    });
    denied += no_fit ? 1 : 0;
  }
  EXPECT_GT(possible, static_cast<int>(cases / 10));
  EXPECT_GT(denied, static_cast<int>(cases / 100));
}

TEST(Consolidation, NoGangIsDeniedAPlaceThatMovesWouldMake) { expect_as_exhaustive_search(0); }

TEST(Consolidation, NorBesideCordonedNodes) { expect_as_exhaustive_search(25); }

}  // namespace
}  // namespace trellis::oracle::consolidation_test
