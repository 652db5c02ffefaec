// Gangs of pods of different sizes against exhaustive search, in tiny halls: the lowest level with
// a domain that holds the gang, and on it the fewest racks of any domain.

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tests/oracle/small_hall.h"
#include "tests/support/long_run.h"
#include "tests/support/random.h"
#include "tests/support/seed_guard.h"
#include "tests/support/world.h"

namespace trellis::oracle::unequal_pods_test {
namespace {

struct Case {
  SmallHall hall;
  std::vector<SmallPod> pods;  // the largest first
  Inside bound = Inside::Hall;

  std::string text() const {
    std::string text = hall.text() + "; pods";
    for (const SmallPod& pod : pods) text += " " + std::to_string(pod.gpus);
    return text + (bound == Inside::Block ? " in a block" : "");
  }
};

Case make_case(uint64_t seed) {
  Random random(seed);
  Case one;
  one.hall = random_hall(random);
  for (auto left = random.between(2, 7); left > 0; --left) {
    one.pods.push_back({static_cast<int>(random.between(1, 6))});
  }
  std::ranges::sort(one.pods, std::greater<>(), &SmallPod::gpus);
  one.bound = random.chance(30) ? Inside::Block : Inside::Hall;
  return one;
}

std::string pod_name(size_t index) { return "g-" + std::to_string(index); }

void fill(World& world, const Case& one) {
  build(one.hall, world);
  world.gang("g", {.min_member = static_cast<int32_t>(one.pods.size()),
                   .topology = "t",
                   .required = one.bound == Inside::Block ? "block" : "",
                   .preferred = "rack"});
  for (size_t i = 0; i < one.pods.size(); ++i) {
    world.pod(pod_name(i), "g", {.gpu = one.pods[i].gpus});
  }
}

TEST(UnequalPods, TheFewestRacksOfTheLowestDomainThatHoldsThem) {
  uint64_t cases = long_run(2'000, 40'000);
  int divided = 0;
  for (uint64_t seed = 1; seed <= cases; ++seed) {
    SeedGuard guard(seed);
    Case one = make_case(seed);
    World world;
    fill(world, one);
    world.cycle();
    std::vector<std::string> names;
    for (size_t i = 0; i < one.pods.size(); ++i) names.push_back(pod_name(i));
    std::optional<Spans> best = fewest_spans(one.hall, one.pods, one.bound);
    std::optional<Spans> ours = spans_of(one.hall, world, names);
    EXPECT_EQ(text_of(ours), text_of(best)) << "seed " << seed << ": " << one.text();
    divided += best && best->racks > 1 ? 1 : 0;
  }
  EXPECT_GT(divided, static_cast<int>(cases / 10));
}

}  // namespace
}  // namespace trellis::oracle::unequal_pods_test
