#include "plugins/numa/numa_score.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/plugins/numa/numa_world.h"
#include "tests/support/random.h"

namespace trellis::numa_score_test {
namespace {

constexpr NumaStrategy kStrategies[] = {NumaStrategy::LeastAllocated, NumaStrategy::MostAllocated,
                                        NumaStrategy::BalancedAllocation,
                                        NumaStrategy::LeastNumaNodes};

TEST(NumaScore, TheLeastOfTheZonesThatHaveOneCounts) {
  NumaWorld world;
  world.cpus({1, 4, 8});
  world.container({{kCpu, 2}});
  EXPECT_EQ(world.score(), 50);
  world.options.strategy = NumaStrategy::MostAllocated;
  EXPECT_EQ(world.score(), 25);
}

TEST(NumaScore, WeightsCountAndThoseBelowOneDoNot) {
  NumaWorld world;
  world.zone("node-0", {{kCpu, 4}, {kMemory, 4}});
  world.container({{kCpu, 1}, {kMemory, 3}});
  EXPECT_EQ(world.score(), 50);
  world.options.weights = {{kCpu, 3}, {kMemory, 0}};
  EXPECT_EQ(world.score(), (3 * 75 + 25) / 4);
}

// A PiB of memory, of which a byte less than 99 parts in a hundred are asked for.
TEST(NumaScore, AmountsThatADoubleRoundsAreDividedExactly) {
  NumaWorld world;
  int64_t whole = 1'125'899'906'842'699;
  world.zone("node-0", {{kMemory, whole}});
  world.container({{kMemory, (99 * whole - 1) / 100}});
  world.options.strategy = NumaStrategy::MostAllocated;
  EXPECT_EQ(world.score(), 98);
}

TEST(NumaScore, UpstreamRoundsUpToWholeUnits) {
  NumaWorld world;
  world.zone("node-0", {{kCpu, 4000}});
  world.container({{kCpu, 1500}});
  EXPECT_EQ(world.score(), 62);
  world.options.rules = NumaRules::Upstream;
  EXPECT_EQ(world.score(), 50);
}

TEST(NumaScore, ContainersCountAlike) {
  NumaWorld world;
  world.cpus({4});
  world.container({{kCpu, 1}});
  world.container({{kCpu, 2}});
  EXPECT_EQ(world.score(), 62);
}

TEST(NumaScore, OneResourceIsBalancedWithItself) {
  NumaWorld world;
  world.options.strategy = NumaStrategy::BalancedAllocation;
  world.cpus({4});
  world.container({{kCpu, 1}});
  EXPECT_EQ(world.score(), 100);
}

TEST(NumaScore, OtherQosAndOtherPoliciesAreNotCompared) {
  NumaWorld world;
  world.cpus({4});
  world.container({{kCpu, 1}});
  world.settings.policy = NumaPolicy::Restricted;
  EXPECT_EQ(world.score(), 0);
  world.pod.qos = Qos::Burstable;
  EXPECT_EQ(world.score(), 100);
}

TEST(LeastNumaNodes, FewerZonesScoreMore) {
  NumaWorld world;
  world.options.strategy = NumaStrategy::LeastNumaNodes;
  world.cpus({4, 4, 4});
  world.container({{kCpu, 4}});
  EXPECT_EQ(world.score(), 94);
  world.pod.containers[0].requests[0].amount = 8;
  EXPECT_EQ(world.score(), 82);
  world.pod.containers[0].requests[0].amount = 13;
  EXPECT_EQ(world.score(), 0);
}

TEST(LeastNumaNodes, FartherZonesScoreLess) {
  NumaWorld world;
  world.options.strategy = NumaStrategy::LeastNumaNodes;
  world.cpus({4, 1, 4});
  for (size_t from = 0; from < 3; ++from) {
    for (size_t to = 0; to < 3; ++to) {
      bool near = from / 2 == to / 2;
      world.zones[from].costs.push_back(
          {"node-" + std::to_string(to), from == to ? 10 : (near ? 12 : 21)});
    }
  }
  world.container({{kCpu, 5}});
  EXPECT_EQ(world.score(), 82);
  world.pod.containers[0].requests[0].amount = 8;
  EXPECT_EQ(world.score(), 76);
}

TEST(LeastNumaNodes, NeverBelowZero) {
  NumaWorld world;
  world.options.strategy = NumaStrategy::LeastNumaNodes;
  world.settings.most_zones = 2;
  world.cpus({1, 1, 1, 1, 1});
  world.container({{kCpu, 5}});
  EXPECT_EQ(world.score(), 0);
}

TEST(LeastNumaNodes, ManyZonesAreGivenUpInTime) {
  NumaWorld world;
  world.options.strategy = NumaStrategy::LeastNumaNodes;
  world.cpus(std::vector<int64_t>(64, 1));
  world.container({{kCpu, 40}});
  EXPECT_EQ(world.score(), 0);
}

// Whatever the input: names, gaps, zeros, nothing at all.
TEST(NumaScore, AnyInputScoresFromZeroToAHundred) {
  Random random(20);
  for (int round = 0; round < 4000; ++round) {
    NumaWorld world;
    std::vector<ResourceId> all = {kCpu, kMemory, kGpu, world.nic, world.pages};
    for (uint32_t i = random.below(7); i > 0; --i) {
      std::vector<ResourceAmount> amounts;
      for (ResourceId resource : all) {
        if (random.chance(70)) amounts.push_back({resource, random.between(0, 5) * 700});
      }
      world.zone((random.chance(80) ? "node-" : "x") + std::to_string(i * 13), amounts);
    }
    world.pod.qos = random.chance(70) ? Qos::Guaranteed : Qos::Burstable;
    for (uint32_t i = random.below(4); i > 0; --i) {
      std::vector<ResourceAmount> requests;
      for (ResourceId resource : all) {
        if (random.chance(40)) requests.push_back({resource, random.between(0, 3) * 600});
      }
      world.container(requests, static_cast<ContainerKind>(random.below(3)));
    }
    world.settings.scope = random.chance(50) ? NumaScope::Pod : NumaScope::Container;
    world.settings.policy = static_cast<NumaPolicy>(random.below(4));
    world.settings.most_zones = static_cast<int32_t>(random.between(2, 1024));
    for (NumaStrategy strategy : kStrategies) {
      for (NumaRules rules : {NumaRules::Kubelet, NumaRules::Upstream}) {
        world.options.strategy = strategy;
        world.options.rules = rules;
        world.verdict();
        int64_t score = world.score();
        ASSERT_TRUE(score >= 0 && score <= 100) << score << " in round " << round;
      }
    }
  }
}

}  // namespace
}  // namespace trellis::numa_score_test
