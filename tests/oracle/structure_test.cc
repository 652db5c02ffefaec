// Gangs with subgroups, segments and pods of different sizes against every assignment there is.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "session/gang_step.h"
#include "tests/oracle/structure_case.h"
#include "tests/support/long_run.h"

namespace trellis::oracle {
namespace {

struct Tally {
  int placed = 0;
  int refused = 0;
  int more_domains = 0;  // than the fewest
};

void run_case(uint64_t seed, const StructureLimits& limits, Tally& tally) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  StructureCase made = structure_case(seed, limits);
  World world;
  build(made, world);
  Session& session = world.scheduler().open(0);
  GangSearch search(session);
  GangId gang = world.gang_id("g");
  ASSERT_TRUE(gang_refusals(session, gang).empty()) << made.text();
  GangStep step = GangProgress(gang).next(session, search);
  ASSERT_NE(step.code, ReasonCode::SearchBudgetExhausted) << made.text();
  std::optional<int> fewest = fewest_domains(made);
  bool placed = step.result == GangStep::Result::Placed;
  ASSERT_EQ(placed, fewest.has_value()) << made.text();
  if (!placed) {
    ++tally.refused;
    ASSERT_EQ(session.statement().decision_count(), 0u);
    return;
  }
  ++tally.placed;
  Assignment at(made.members.size(), -1);
  for (size_t i = 0; i < at.size(); ++i) {
    NodeId node = session.snapshot().pod(world.pod_id(made.members[i].name)).node;
    ASSERT_TRUE(node.valid()) << made.members[i].name << "\n" << made.text();
    const std::string& name = world.cluster.nodes()[node].name;
    auto found = std::find_if(made.nodes.begin(), made.nodes.end(),
                              [&](const auto& known) { return known.name == name; });
    at[i] = static_cast<int>(found - made.nodes.begin());
  }
  std::string where;
  for (size_t i = 0; i < at.size(); ++i) {
    where += made.members[i].name + " -> " + made.nodes[static_cast<size_t>(at[i])].name + "\n";
  }
  ASSERT_TRUE(holds(made, at)) << made.text() << where;
  if (domains_used(made, at) > *fewest) {
    ++tally.more_domains;
    if (long_run(0, 1) == 1)
      std::printf("seed %llu: %d domains, %d would do\n%s%s", static_cast<unsigned long long>(seed),
                  domains_used(made, at), *fewest, made.text().c_str(), where.c_str());
  }
}

// Of those placed, at most so many in a hundred may use more domains than the fewest.
constexpr int kMoreDomains = 1;
constexpr int kMoreDomainsInMixedSegments = 2;

void run_cases(uint64_t first, uint64_t count, const StructureLimits& limits) {
  Tally tally;
  for (uint64_t seed = first; seed < first + count && !::testing::Test::HasFatalFailure(); ++seed) {
    run_case(seed, limits, tally);
  }
  EXPECT_GT(tally.placed, static_cast<int>(count) / 5);
  EXPECT_GT(tally.refused, static_cast<int>(count) / 50);
  int most = limits.sizes && limits.segments ? kMoreDomainsInMixedSegments : kMoreDomains;
  EXPECT_LE(tally.more_domains * 100, tally.placed * most) << "of " << tally.placed << " placed";
}

TEST(Structure, Subgroups) { run_cases(1, long_run(3000, 100'000), {}); }

TEST(Structure, Segments) { run_cases(1'000'000, long_run(3000, 100'000), {.segments = true}); }

TEST(Structure, SubgroupsOfDifferentSizes) {
  run_cases(2'000'000, long_run(2000, 50'000), {.nodes = 6, .pods = 7, .sizes = true});
}

TEST(Structure, SegmentsOfDifferentSizes) {
  run_cases(3'000'000, long_run(2000, 50'000),
            {.nodes = 6, .pods = 7, .sizes = true, .segments = true});
}

// By a unit above, or as many as need one node: others would take the room that they need.
TEST(Structure, WhatIsBoundTheMostGoesFirst) {
  Tally tally;
  run_case(47'034, {}, tally);
  run_case(1'013'336, {.segments = true}, tally);
  EXPECT_EQ(tally.placed, 2);
}

// Two equal parts of a pod each leave no rack whole, unless the part that needs one goes first.
TEST(Structure, WhatFoundNoPlaceGoesFirst) {
  Tally tally;
  run_case(10'099'635, {}, tally);
  EXPECT_EQ(tally.placed, 1);
}

}  // namespace
}  // namespace trellis::oracle
