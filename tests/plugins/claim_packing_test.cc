#include "plugins/volumes/claim_packing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace trellis::claim_packing_test {
namespace {

using ::testing::ElementsAre;
using ::testing::Optional;

constexpr int64_t kSteps = 1'000;

TEST(ClaimPacking, TheSmallClaimsLeaveTheirPoolToTheLargeOne) {
  std::vector<PackedClaim> claims = {
      {.bytes = 3, .places = {0, 1}}, {.bytes = 3, .places = {0, 1}}, {.bytes = 5, .places = {0}}};
  EXPECT_THAT(pack_claims(claims, {{.room = 5}, {.room = 6}}, kSteps),
              Optional(ElementsAre(1, 1, 0)));
}

TEST(ClaimPacking, AVolumeIsTakenWhole) {
  std::vector<PackedClaim> claims = {{.bytes = 1, .places = {0}}, {.bytes = 1, .places = {0}}};
  EXPECT_FALSE(pack_claims(claims, {{.room = 5, .whole = true}}, kSteps));
  EXPECT_TRUE(pack_claims(claims, {{.room = 5}}, kSteps));
}

TEST(ClaimPacking, AClaimMayStayAtHomeWhateverTheRoom) {
  std::vector<PackedClaim> claims = {{.bytes = 9, .places = {0}, .home = 0},
                                     {.bytes = 2, .places = {0, 1}}};
  EXPECT_THAT(pack_claims(claims, {{.room = 4}, {.room = 2}}, kSteps), Optional(ElementsAre(0, 1)));
  EXPECT_FALSE(pack_claims(claims, {{.room = 4}, {.room = 1}}, kSteps));
}

TEST(ClaimPacking, RoomWithoutABoundTakesAll) {
  std::vector<PackedClaim> claims = {{.bytes = 9, .places = {0, 1}},
                                     {.bytes = 8, .places = {0, 1}}};
  EXPECT_THAT(pack_claims(claims, {{.room = 8}, {.room = PackedPlace::kUnbounded}}, kSteps),
              Optional(ElementsAre(1, 0)));
}

// Twenty claims of which two share a pool, in nine pools: the sizes would allow eighteen.
TEST(ClaimPacking, TheBudgetEndsTheSearch) {
  std::vector<PackedClaim> claims;
  std::vector<PackedPlace> places;
  std::vector<uint32_t> all;
  for (uint32_t i = 0; i < 9; ++i) {
    places.push_back({.room = 2'000 + i});
    all.push_back(i);
  }
  for (int64_t i = 0; i < 20; ++i) claims.push_back({.bytes = 880 + i, .places = all});
  EXPECT_FALSE(pack_claims(claims, places, kSteps));
}

}  // namespace
}  // namespace trellis::claim_packing_test
