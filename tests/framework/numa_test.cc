#include "framework/numa.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "framework/resources.h"

namespace trellis::numa_test {
namespace {

using ::testing::ElementsAre;

NumaZoneRecord zone(const std::string& name, int64_t cpus,
                    std::vector<NumaZoneRecord::Cost> costs = {}) {
  return {name, {{kCpu, cpus, cpus, cpus}}, std::move(costs)};
}

std::vector<int64_t> ids(const NumaTopology& topology) {
  std::vector<int64_t> found;
  for (const NumaZone& one : topology.zones) found.push_back(one.id);
  return found;
}

std::vector<std::string> names(const NumaTopology& topology) {
  std::vector<std::string> found;
  for (const NumaZone& one : topology.zones) found.push_back(one.name);
  return found;
}

TEST(NumaTopology, ZonesStandInTheOrderOfTheirNumbers) {
  NumaTopology made =
      make_numa_topology({}, std::vector{zone("node-10", 1), zone("node-2", 2), zone("node-0", 3)});
  EXPECT_THAT(ids(made), ElementsAre(0, 2, 10));
  EXPECT_THAT(made.available, ElementsAre(3, 2, 1));
  EXPECT_EQ(made.zones[0].listed, 2);
}

TEST(NumaTopology, AnyNameThatEndsInANumberHasAnId) {
  NumaTopology made =
      make_numa_topology({}, std::vector{zone("socket1-numa7", 1), zone("numa-node-3", 2)});
  EXPECT_THAT(ids(made), ElementsAre(3, 7));
  EXPECT_FALSE(made.zones[0].plain);
}

TEST(NumaTopology, NamesWithoutNumbersAreNumberedInTheirOrder) {
  NumaTopology made =
      make_numa_topology({}, std::vector{zone("left", 1), zone("back", 2), zone("node-7", 3)});
  EXPECT_THAT(names(made), ElementsAre("back", "left", "node-7"));
  EXPECT_THAT(ids(made), ElementsAre(0, 1, 2));
}

TEST(NumaTopology, EqualNumbersAreNoIds) {
  NumaTopology made = make_numa_topology({}, std::vector{zone("b-1", 1), zone("a-1", 2)});
  EXPECT_THAT(names(made), ElementsAre("a-1", "b-1"));
  EXPECT_THAT(ids(made), ElementsAre(0, 1));
}

TEST(NumaTopology, OnlyLowPlainNamesAreUpstreams) {
  NumaTopology made = make_numa_topology(
      {}, std::vector{zone("node-63", 1), zone("node-64", 2), zone("numa-2", 3), zone("node-", 4)});
  size_t plain = 0;
  for (const NumaZone& one : made.zones) plain += one.plain ? 1 : 0;
  EXPECT_EQ(plain, 1U);
}

TEST(NumaTopology, ANumberBeyondInt64IsNoId) {
  NumaTopology made =
      make_numa_topology({}, std::vector{zone("node-99999999999999999999", 1), zone("node-0", 2)});
  EXPECT_THAT(ids(made), ElementsAre(0, 1));
}

TEST(NumaTopology, CellsOfAnUnlistedResourceSaySo) {
  NumaZoneRecord both{"node-0", {{ResourceId(3), 8, 8, 6}, {kCpu, 4, 4, 2}}, {}};
  NumaTopology made = make_numa_topology({}, std::vector{zone("node-1", 9), both});
  EXPECT_EQ(made.column(kCpu), 0);
  EXPECT_EQ(made.column(ResourceId(3)), 1);
  EXPECT_EQ(made.column(ResourceId(1)), -1);
  EXPECT_THAT(made.available, ElementsAre(2, 9, 6, kUnlisted));
  EXPECT_THAT(made.allocatable, ElementsAre(4, 9, 8, kUnlisted));
}

TEST(NumaTopology, CostsGoByNameAndNowhereElse) {
  NumaTopology made = make_numa_topology(
      {}, std::vector{zone("node-4", 1, {{"node-4", 10}, {"node-1", 21}, {"node-9", 3}}),
                      zone("node-1", 1, {{"node-4", -5}})});
  EXPECT_EQ(made.cost(1, 1), 10);
  EXPECT_EQ(made.cost(1, 0), 21);
  EXPECT_EQ(made.cost(0, 1), 0);
  EXPECT_EQ(made.cost(0, 0), kNoCost);
}

TEST(NumaTopology, AsManyZonesAsBits) {
  std::vector<NumaZoneRecord> all;
  for (int i = 0; i < 64; ++i) all.push_back(zone("node-" + std::to_string(3 * i), i));
  NumaTopology made = make_numa_topology({}, all);
  EXPECT_EQ(made.all(), ~ZoneMask{0});
  EXPECT_EQ(NumaTopology{}.all(), ZoneMask{0});
}

}  // namespace
}  // namespace trellis::numa_test
