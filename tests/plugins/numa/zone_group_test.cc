// Groups in zones, against the kubelet and every zone filled out.
#include "plugins/numa/zone_group.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/plugins/numa/numa_world.h"
#include "tests/support/random.h"

namespace trellis::zone_group_test {
namespace {

constexpr int32_t kMostInGroup = 40;

using AmountTable = std::vector<std::vector<int64_t>>;

// A pod's containers and a node's zones, amounts by resource; the group has `home`, -1: none yet.
struct FilledNode {
  AmountTable zones;
  AmountTable containers;
  int home = -1;

  bool holds(size_t zone, const std::vector<int64_t>& asked) const {
    for (size_t i = 0; i < asked.size(); ++i) {
      if (zones[zone][i] < asked[i]) return false;
    }
    return true;
  }
  // As the kubelet would: each container to the lowest zone that holds it.
  bool take_one() {
    AmountTable before = zones;
    int at = home;
    for (const std::vector<int64_t>& asked : containers) {
      size_t zone = 0;
      while (zone < zones.size() && !holds(zone, asked)) ++zone;
      bool shared = zone < zones.size() && (at < 0 || at == static_cast<int>(zone));
      if (!shared) {
        zones = before;
        return false;
      }
      at = static_cast<int>(zone);
      for (size_t i = 0; i < asked.size(); ++i) zones[zone][i] -= asked[i];
    }
    home = at;
    return true;
  }
  int32_t in_order() const {
    FilledNode copy = *this;
    int32_t count = 0;
    while (count < kMostInGroup && copy.take_one()) ++count;
    return count;
  }
  // In the best zone of those that it may have.
  int32_t in_best() const {
    int64_t best = 0;
    for (size_t zone = 0; zone < zones.size(); ++zone) {
      if (home >= 0 && home != static_cast<int>(zone)) continue;
      int64_t here = kMostInGroup;
      for (size_t i = 0; i < zones[zone].size(); ++i) {
        int64_t sum = 0;
        for (const std::vector<int64_t>& asked : containers) sum += asked[i];
        if (sum > 0) here = std::min(here, zones[zone][i] / sum);
      }
      best = std::max(best, here);
    }
    return static_cast<int32_t>(best);
  }
};

FilledNode random_node(Random& random) {
  FilledNode made;
  made.zones.resize(static_cast<size_t>(random.between(1, 4)));
  for (auto& zone : made.zones) zone = {random.between(0, 12), random.between(0, 4)};
  made.containers.resize(static_cast<size_t>(random.between(1, 3)));
  for (auto& container : made.containers) container = {random.between(1, 4), random.between(0, 2)};
  if (random.between(0, 2) == 0) {
    made.home = static_cast<int>(random.between(0, static_cast<int64_t>(made.zones.size()) - 1));
  }
  return made;
}

NumaWorld zones_of(const FilledNode& filled) {
  NumaWorld world;
  for (size_t i = 0; i < filled.zones.size(); ++i) {
    world.zone("node-" + std::to_string(i),
               {{kCpu, filled.zones[i][0]}, {world.nic, filled.zones[i][1]}},
               {{kCpu, 12}, {world.nic, 4}});
  }
  for (const std::vector<int64_t>& asked : filled.containers) {
    world.container({{kCpu, asked[0]}, {world.nic, asked[1]}});
  }
  return world;
}

// What is counted is what can be placed one by one; all of it in one zone, and no pod more.
void place_as_counted(const NumaUnits& units, NumaNode node, ZoneMask held,
                      const NumaOptions& options, int32_t counted) {
  std::vector<int64_t> left(node.free.begin(), node.free.end());
  node.free = left;
  for (int32_t pod = 0; pod <= counted && pod < kMostInGroup; ++pod) {
    ASSERT_EQ(pods_in_group(units, node, held, options, kMostInGroup), counted - pod);
    NumaVerdict verdict = align_in_group(units, node, held, options);
    ASSERT_EQ(verdict.fits, pod < counted);
    if (!verdict.fits) return;
    for (ZoneMask set : verdict.zones) held |= set;
    ASSERT_EQ(std::popcount(held), 1);
    charge(units, node, verdict, options, left);
  }
}

void check_random_nodes(uint64_t seed, NumaPolicy policy, NumaAlignment alignment) {
  Random random(seed);
  int32_t several = 0;
  for (int turn = 0; turn < 20'000; ++turn) {
    FilledNode filled = random_node(random);
    NumaWorld world = zones_of(filled);
    world.settings.policy = policy;
    world.options.alignment = alignment;
    NumaTopology topology = world.topology();
    NumaNode node{&topology, world.settings, &world.allocatable, topology.available};
    NumaUnits units = numa_units(world.pod, world.resources, world.options.rules);
    ZoneMask held = filled.home < 0 ? 0 : ZoneMask{1} << filled.home;
    int32_t counted = pods_in_group(units, node, held, world.options, kMostInGroup);
    bool greedy = alignment == NumaAlignment::Greedy;
    ASSERT_EQ(counted, greedy ? filled.in_order() : filled.in_best()) << "turn " << turn;
    several += counted > 1 ? 1 : 0;
    if (counted < kMostInGroup) place_as_counted(units, node, held, world.options, counted);
  }
  EXPECT_GT(several, 1000);
}

TEST(ZoneGroup, CountsAsTheKubeletFills) {
  check_random_nodes(1, NumaPolicy::SingleNode, NumaAlignment::Greedy);
}

TEST(ZoneGroup, CountsTheBestZoneForAgentsThatFollowTheHint) {
  check_random_nodes(2, NumaPolicy::SingleNode, NumaAlignment::Possible);
}

TEST(ZoneGroup, NodesThatWouldSplitAPodAreNoOtherForAGroup) {
  check_random_nodes(3, NumaPolicy::Restricted, NumaAlignment::Greedy);
  check_random_nodes(4, NumaPolicy::BestEffort, NumaAlignment::Greedy);
}

TEST(ZoneGroup, APolicyThatAlignsNothingHasNoZonesToShare) {
  EXPECT_FALSE(has_zones_to_share(NumaPolicy::None));
  EXPECT_TRUE(has_zones_to_share(NumaPolicy::BestEffort));
}

TEST(ZoneGroup, OnlyTheZoneThatItHasIsShort) {
  NumaWorld world;
  world.cpus({1, 2, 8});
  world.container({{kCpu, 4}});
  NumaTopology topology = world.topology();
  NumaNode node{&topology, world.settings, &world.allocatable, topology.available};
  NumaUnits units = numa_units(world.pod, world.resources, world.options.rules);
  ZoneRefusal refusal = group_refusal(units, node, ZoneMask{2}, world.options);
  const std::vector<ZoneShortage>& lacking = refusal.shortages;
  EXPECT_EQ(refusal.unit, 0);
  ASSERT_EQ(lacking.size(), 1U);
  EXPECT_EQ(lacking[0].zone, 1U);
  EXPECT_EQ(lacking[0].short_by, 2);
  EXPECT_EQ(group_refusal(units, node, ZoneMask{0}, world.options).unit, -1);
}

}  // namespace
}  // namespace trellis::zone_group_test
