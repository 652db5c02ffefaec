#include "session/placement/gang_needs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/support/world.h"

namespace trellis::gang_needs_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Subgroups by name: how many pods each has, and how many it needs.
struct Part {
  std::string name;
  int32_t pods = 0;
  int32_t min_member = 0;
};

class GangNeedsTest : public ::testing::Test {
 protected:
  // `min_subgroup_` of the parts are enough for the gang, but for the number of pods.
  std::vector<GangNeed> needs_of(int32_t min_member, const std::vector<Part>& parts) {
    GangArgs args{.min_member = min_member, .min_subgroup = min_subgroup_};
    for (const Part& part : parts) {
      args.subgroups.push_back({.name = part.name, .min_member = part.min_member});
    }
    world_.gang("g", args);
    for (const Part& part : parts) {
      for (int32_t i = 0; i < part.pods; ++i) {
        world_.pod(part.name + std::to_string(i), "g", {.subgroup = part.name});
      }
    }
    Session& session = world_.scheduler().open(0);
    MinimumNeeds needs = minimum_needs(session, world_.gang_id("g"));
    missing_ = missing_pods(session, world_.gang_id("g"));
    return {needs.choices.begin(), needs.choices.end()};
  }

  static GangNeed need(const std::vector<LeafNeed>& leaves) {
    return {leaves.begin(), leaves.end()};
  }

  World world_;
  int32_t min_subgroup_ = 1;
  Reason missing_;
};

TEST_F(GangNeedsTest, SubgroupsThatAreNeededGiveMoreFirst) {
  EXPECT_THAT(needs_of(3, {{"a", 3, 1}, {"b", 2, 1}}),
              ElementsAre(need({{0, 3}}), need({{0, 1}, {1, 2}})));
}

TEST_F(GangNeedsTest, ASubgroupThatCannotBeWholeGivesNothing) {
  EXPECT_THAT(needs_of(4, {{"a", 2, 2}, {"b", 2, 3}, {"c", 2, 1}}),
              ElementsAre(need({{0, 2}, {2, 2}})));
}

TEST_F(GangNeedsTest, ASubgroupThatGivesAnyGivesItsMinimum) {
  EXPECT_THAT(needs_of(3, {{"a", 2, 2}, {"b", 3, 3}}),
              ElementsAre(need({{0, 2}, {1, 3}}), need({{1, 3}})));
}

TEST_F(GangNeedsTest, PodsBelowTheMinimumOfTheirSubgroupDoNotCount) {
  EXPECT_THAT(needs_of(4, {{"a", 2, 2}, {"b", 2, 3}}), IsEmpty());
  EXPECT_EQ(missing_.code, ReasonCode::NotEnoughPods);
  EXPECT_EQ(missing_.subgroup, "b");
  EXPECT_EQ(missing_.needed, 3);
  EXPECT_EQ(missing_.found, 2);
}

TEST_F(GangNeedsTest, SubgroupsThatDoNotExistAreMissed) {
  min_subgroup_ = 3;
  EXPECT_THAT(needs_of(2, {{"a", 2, 1}, {"b", 2, 1}}), IsEmpty());
  EXPECT_EQ(missing_.code, ReasonCode::NotEnoughSubgroups);
  EXPECT_EQ(missing_.subgroup, "");
  EXPECT_EQ(missing_.needed, 3);
  EXPECT_EQ(missing_.found, 2);
}

}  // namespace
}  // namespace trellis::gang_needs_test
