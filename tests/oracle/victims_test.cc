// The search for victims against every allowed set of them, in tiny clusters.

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "tests/oracle/victims_case.h"
#include "tests/support/long_run.h"
#include "tests/support/seed_guard.h"
#include "tests/support/world.h"

namespace trellis::oracle::victims_test {
namespace {

void fill(World& world, const VictimsCase& one, const std::string& action) {
  world.config.actions = {action};
  world.topology("t", {"rack", "node"});
  for (size_t i = 0; i < one.gpus.size(); ++i) {
    std::string name = "n" + std::to_string(i);
    world.node(name, {.gpu = one.gpus[i],
                      .labels = {{"rack", "r" + std::to_string(one.racks[i])}, {"node", name}}});
  }
  for (size_t g = 0; g < one.running.size(); ++g) {
    const VictimsCase::RunningGang& gang = one.running[g];
    std::string name = "v" + std::to_string(g);
    world.gang(
        name,
        {.min_member = gang.minimum, .priority = gang.priority, .preemptible = gang.preemptible});
    for (size_t i = 0; i < gang.nodes.size(); ++i) {
      world.pod(name + "-" + std::to_string(i), name,
                {.gpu = gang.gpus,
                 .node = "n" + std::to_string(gang.nodes[i]),
                 .status = PodStatus::Running});
    }
  }
  world.gang("g", {.count = one.pods,
                   .pod = {.gpu = one.gpus_each},
                   .topology = one.one_rack ? "t" : "",
                   .required = one.one_rack ? "rack" : ""});
}

// 0: the gang was not let in.
int disrupted(World& world) {
  if (world.gang_outcome("g").status != GangStatus::Pipelined) return 0;
  std::set<GangId> gangs;
  for (const Decision& eviction : world.evictions()) {
    gangs.insert(world.cluster.pods()[eviction.pod].gang);
  }
  return static_cast<int>(gangs.size());
}

void compare(VictimsRule rule, const std::string& action) {
  int found = 0;
  int as_few = 0;
  uint64_t cases = long_run(4'000, 100'000);
  for (uint64_t seed = 1; seed <= cases; ++seed) {
    SeedGuard guard(seed);
    VictimsCase one = make_victims_case(seed);
    World world;
    fill(world, one, action);
    world.cycle();
    std::optional<int> fewest = fewest_disrupted(one, rule);
    int ours = disrupted(world);
    ASSERT_EQ(ours > 0, fewest.has_value()) << "seed " << seed << ": " << one.text();
    if (!fewest) {
      ASSERT_TRUE(world.evictions().empty()) << "seed " << seed << ": " << one.text();
      continue;
    }
    ++found;
    as_few += ours == *fewest ? 1 : 0;
    ASSERT_GE(ours, *fewest) << "seed " << seed << ": " << one.text();
  }
  ASSERT_GT(found, static_cast<int>(cases / 20));
  EXPECT_GE(100 * as_few, 99 * found) << as_few << " of " << found;
}

TEST(Victims, PreemptFindsAsFewAsThereAre) { compare(VictimsRule::LowerPriority, "preempt"); }

TEST(Victims, ConsolidationFindsAsFewAsThereAre) {
  compare(VictimsRule::AllPlacedAgain, "consolidation");
}

}  // namespace
}  // namespace trellis::oracle::victims_test
