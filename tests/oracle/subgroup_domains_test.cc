// Gangs that prefer a rack and have subgroups, against exhaustive search in tiny halls: the lowest
// level with a domain that holds the gang, and on it the fewest racks that the whole gang spans in
// any domain.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tests/oracle/small_hall.h"
#include "tests/support/long_run.h"
#include "tests/support/random.h"
#include "tests/support/seed_guard.h"
#include "tests/support/world.h"

namespace trellis::oracle::subgroup_domains_test {
namespace {

enum class Asks { Nothing, Prefers, Requires };  // a rack

struct Part {
  Asks asks = Asks::Nothing;
  int pods = 1;
  int gpus = 1;  // of each pod
};

struct Case {
  SmallHall hall;
  std::vector<Part> parts;
  Inside bound = Inside::Hall;

  std::string text() const {
    std::string text = hall.text() + "; subgroups";
    for (const Part& part : parts) {
      const char* word[] = {"", " preferring", " requiring"};
      text += " " + std::to_string(part.pods) + "x" + std::to_string(part.gpus) +
              word[static_cast<size_t>(part.asks)];
    }
    return text + (bound == Inside::Block ? " in a block" : "");
  }
  std::vector<SmallPod> pods() const {
    std::vector<SmallPod> pods;
    for (size_t i = 0; i < parts.size(); ++i) {
      int together = parts[i].asks == Asks::Requires ? static_cast<int>(i) : -1;
      for (int pod = 0; pod < parts[i].pods; ++pod) pods.push_back({parts[i].gpus, together});
    }
    std::ranges::stable_sort(pods, std::greater<>(), &SmallPod::gpus);
    return pods;
  }
};

Case make_case(uint64_t seed, const std::vector<Asks>& choices) {
  Random random(seed);
  Case one;
  one.hall = random_hall(random);
  for (auto left = random.between(2, 3); left > 0; --left) {
    Part& part = one.parts.emplace_back();
    part.asks = random.pick(choices);
    part.pods = static_cast<int>(random.between(1, 3));
    part.gpus = static_cast<int>(random.between(1, 6));
  }
  one.bound = random.chance(30) ? Inside::Block : Inside::Hall;
  return one;
}

std::string part_name(size_t part) { return std::string(1, static_cast<char>('a' + part)); }

std::vector<std::string> fill(World& world, const Case& one) {
  build(one.hall, world);
  GangArgs gang;
  gang.min_member = 0;
  gang.topology = "t";
  gang.required = one.bound == Inside::Block ? "block" : "";
  gang.preferred = "rack";
  for (size_t i = 0; i < one.parts.size(); ++i) {
    const Part& part = one.parts[i];
    gang.min_member += part.pods;
    SubgroupArgs& subgroup = gang.subgroups.emplace_back();
    subgroup.name = part_name(i);
    subgroup.min_member = part.pods;
    if (part.asks == Asks::Nothing) continue;
    subgroup.topology = "t";
    (part.asks == Asks::Requires ? subgroup.required : subgroup.preferred) = "rack";
  }
  world.gang("g", gang);
  std::vector<std::string> names;
  for (size_t i = 0; i < one.parts.size(); ++i) {
    for (int pod = 0; pod < one.parts[i].pods; ++pod) {
      names.push_back(part_name(i) + std::to_string(pod));
      world.pod(names.back(), "g", {.gpu = one.parts[i].gpus, .subgroup = part_name(i)});
    }
  }
  return names;
}

struct Tally {
  int placed = 0;
  int divided = 0;
  int exact = 0;   // of those placed
  int higher = 0;  // of those placed, at a higher level than needed
  int racks = 0;
  int least = 0;
};

Tally run(uint64_t first, const std::vector<Asks>& choices) {
  Tally tally;
  uint64_t cases = long_run(4'000, 20'000);
  for (uint64_t seed = first; seed < first + cases; ++seed) {
    SeedGuard guard(seed);
    Case one = make_case(seed, choices);
    World world;
    std::vector<std::string> names = fill(world, one);
    world.cycle();
    std::optional<Spans> best = fewest_spans(one.hall, one.pods(), one.bound);
    std::optional<Spans> ours = spans_of(one.hall, world, names);
    EXPECT_EQ(ours.has_value(), best.has_value()) << "seed " << seed << ": " << one.text();
    if (!best || !ours) continue;
    ++tally.placed;
    tally.divided += best->racks > 1 ? 1 : 0;
    tally.exact += *ours == *best ? 1 : 0;
    tally.higher += ours->blocks > best->blocks ? 1 : 0;
    tally.racks += ours->racks;
    tally.least += best->racks;
    if (*ours != *best && long_run(0, 1) == 1) {
      std::printf("seed %llu: %s, %s would do: %s\n", static_cast<unsigned long long>(seed),
                  text_of(ours).c_str(), text_of(best).c_str(), one.text().c_str());
    }
  }
  std::printf("%d of %d gangs span the fewest racks; all span %d, at the least %d\n", tally.exact,
              tally.placed, tally.racks, tally.least);
  EXPECT_GT(tally.divided, static_cast<int>(cases / 10));
  EXPECT_LE(100 * tally.racks, 102 * tally.least);
  return tally;
}

void expect_always_exact(uint64_t first, const std::vector<Asks>& choices) {
  Tally tally = run(first, choices);
  EXPECT_EQ(tally.exact, tally.placed);
}

TEST(SubgroupDomains, OfSubgroupsThatAskForNothing) { expect_always_exact(1, {Asks::Nothing}); }

TEST(SubgroupDomains, OfSubgroupsThatPreferARack) {
  expect_always_exact(1'000'000, {Asks::Prefers, Asks::Prefers, Asks::Nothing});
}

// Where subgroups are bound to a rack, not every choice of racks is tried for the gang's sake.
TEST(SubgroupDomains, OfSubgroupsThatRequireARack) {
  Tally tally = run(2'000'000, {Asks::Requires, Asks::Prefers, Asks::Nothing});
  EXPECT_LE(100 * (tally.placed - tally.exact), 3 * tally.placed);
  EXPECT_LE(200 * tally.higher, tally.placed);
}

}  // namespace
}  // namespace trellis::oracle::subgroup_domains_test
