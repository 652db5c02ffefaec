// Gangs with subgroups, segments and pods of different sizes against every assignment there is.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "session/cycle/gang_step.h"
#include "tests/oracle/structure_case.h"
#include "tests/support/long_run.h"

namespace trellis::oracle::structure_test {
namespace {

struct Tally {
  int placed = 0;
  int refused = 0;
  int more_domains = 0;  // than the fewest
};

Assignment assignment_of(World& world, const Session& session, const StructureCase& made) {
  Assignment at(made.members.size(), -1);
  for (size_t i = 0; i < at.size(); ++i) {
    NodeId node = session.snapshot().pod(world.pod_id(made.members[i].name)).node;
    if (!node.valid()) continue;
    const std::string& name = world.cluster.nodes()[node].name;
    auto found = std::find_if(made.nodes.begin(), made.nodes.end(),
                              [&](const auto& known) { return known.name == name; });
    at[i] = static_cast<int>(found - made.nodes.begin());
  }
  return at;
}

std::string text_of(const StructureCase& made, const Assignment& at) {
  std::string text = made.text();
  for (size_t i = 0; i < at.size(); ++i) {
    if (at[i] < 0) continue;
    text += made.members[i].name + " -> " + made.nodes[static_cast<size_t>(at[i])].name + "\n";
  }
  return text;
}

// The default bounds the time of a gang, and one of these cases in 100,000 comes to its end. Here
// the search has to find what there is.
constexpr int64_t kEnough = 100'000'000;

void run_case(uint64_t seed, const StructureLimits& limits, Tally& tally) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  StructureCase made = structure_case(seed, limits);
  World world;
  world.config.limits.search_budget = kEnough;
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
  Assignment at = assignment_of(world, session, made);
  ASSERT_EQ(std::ranges::count(at, -1), 0) << text_of(made, at);
  ASSERT_TRUE(holds(made, at)) << text_of(made, at);
  if (domains_used(made, at) > *fewest) {
    ++tally.more_domains;
    if (whole_run(0, 1) == 1)
      std::printf("seed %llu: %d domains, %d would do\n%s", static_cast<unsigned long long>(seed),
                  domains_used(made, at), *fewest, text_of(made, at).c_str());
  }
}

// What is placed next of a leaf: its first pods that wait, a segment or a single one.
int next_of(const StructureCase& made, const Assignment& at, size_t part) {
  int size = made.parts[part].layers.empty() ? 1 : made.parts[part].layers.front().size;
  int segment = -1;
  int pods = 0;
  for (size_t i = 0; i < at.size(); ++i) {
    const StructureCase::Member& member = made.members[i];
    if (at[i] >= 0 || member.part != part) continue;
    if (segment < 0) segment = size > 1 ? member.position / size : member.position;
    pods += (size > 1 ? member.position / size : member.position) == segment ? 1 : 0;
  }
  return pods;
}

// The minimum, then what is above it as long as something has a place.
void grow_case(uint64_t seed, const StructureLimits& limits, Tally& tally) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  StructureCase made = structure_case(seed, limits);
  World world;
  world.config.limits.search_budget = kEnough;
  build(made, world);
  Session& session = world.scheduler().open(0);
  GangSearch search(session);
  GangId gang = world.gang_id("g");
  if (!gang_refusals(session, gang).empty()) return;
  GangProgress progress(gang);
  Assignment at(made.members.size(), -1);
  GangStep step;
  while ((step = progress.next(session, search)).result == GangStep::Result::Placed) {
    at = assignment_of(world, session, made);
    ASSERT_TRUE(holds(made, at)) << text_of(made, at);
  }
  bool stands = std::ranges::count(at, -1) < static_cast<ptrdiff_t>(at.size());
  ++(stands ? tally.placed : tally.refused);
  if (step.result == GangStep::Result::Nothing) return;
  ASSERT_NE(step.code, ReasonCode::SearchBudgetExhausted) << text_of(made, at);
  std::vector<int> more(made.parts.size(), 0);
  if (!stands) {
    for (size_t part = 0; part < more.size(); ++part) more[part] = made.parts[part].least;
    ASSERT_FALSE(can_add(made, at, more)) << text_of(made, at);
    return;
  }
  for (size_t part = 0; part < more.size(); ++part) {
    std::ranges::fill(more, 0);
    more[part] = next_of(made, at, part);
    if (more[part] == 0) continue;
    ASSERT_FALSE(can_add(made, at, more)) << made.parts[part].name << "\n" << text_of(made, at);
  }
}

void grow_cases(uint64_t first, uint64_t count, const StructureLimits& limits) {
  Tally tally;
  for (uint64_t seed = first; seed < first + count && !::testing::Test::HasFatalFailure(); ++seed) {
    grow_case(seed, limits, tally);
  }
  EXPECT_GT(tally.placed, static_cast<int>(count) / 5);
  EXPECT_GT(tally.refused, static_cast<int>(count) / 50);
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

TEST(Structure, Subgroups) { run_cases(1, whole_run(3000, 100'000), {}); }

TEST(Structure, Segments) { run_cases(1'000'000, whole_run(3000, 100'000), {.segments = true}); }

TEST(Structure, SubgroupsOfDifferentSizes) {
  run_cases(2'000'000, whole_run(2000, 50'000), {.nodes = 6, .pods = 7, .sizes = true});
}

TEST(Structure, SegmentsOfDifferentSizes) {
  run_cases(3'000'000, whole_run(2000, 50'000),
            {.nodes = 6, .pods = 7, .sizes = true, .segments = true});
}

TEST(Structure, WhatGrowsStaysWhereItIsBound) {
  grow_cases(4'000'000, whole_run(4000, 100'000), {.nodes = 6, .pods = 7, .grows = true});
}

TEST(Structure, SegmentsThatTheMinimumCuts) {
  StructureLimits limits{.nodes = 6, .pods = 7, .segments = true, .grows = true};
  grow_cases(5'000'000, whole_run(4000, 100'000), limits);
}

TEST(Structure, SegmentsOfDifferentSizesThatGrow) {
  StructureLimits limits{.nodes = 6, .pods = 7, .sizes = true, .segments = true, .grows = true};
  grow_cases(6'000'000, whole_run(2000, 50'000), limits);
}

// The pod of the first rank fits nowhere beside its segment: the others are no whole segment.
TEST(Structure, SegmentsWithoutTheirFirstPod) {
  Tally tally;
  grow_case(6'019'863, {.nodes = 6, .pods = 7, .sizes = true, .segments = true, .grows = true},
            tally);
  EXPECT_EQ(tally.refused + tally.placed, 1);
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
}  // namespace trellis::oracle::structure_test
