// Pods that are given the same, charged together, against charging them one by one.
#include "plugins/numa/pod_aligner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/plugins/numa/numa_world.h"
#include "tests/support/random.h"

namespace trellis::pod_aligner_test {
namespace {

using Cells = std::vector<int64_t>;

// A node and a pod, with all that aligning them reads.
struct Case {
  NumaWorld world;
  NumaTopology topology;
  NumaUnits units;

  void make() {
    topology = world.topology();
    units = numa_units(world.pod, world.resources, world.options.rules);
  }
  PodAligner aligner() const {
    return {units, {&topology, world.settings, &world.allocatable, {}}, world.options};
  }
};

Case random_case(Random& random) {
  Case made;
  NumaWorld& world = made.world;
  int64_t zones = random.between(1, 4);
  for (int64_t zone = 0; zone < zones; ++zone) {
    int64_t cpus = random.between(4, random.chance(50) ? 12 : 400);
    NumaWorld::Amounts whole = {{kCpu, cpus}, {kMemory, 2 * cpus}, {world.nic, cpus / 4}};
    NumaWorld::Amounts free = whole;
    for (ResourceAmount& one : free) one.amount = random.between(one.amount / 2, one.amount);
    bool lists_devices = random.chance(80);
    if (!lists_devices) whole.pop_back();
    if (!lists_devices) free.pop_back();
    world.zone("node-" + std::to_string(zone), free, whole);
  }
  int64_t containers = random.between(1, 4);
  int64_t starting = random.between(0, containers - 1);
  for (int64_t i = 0; i < containers; ++i) {
    ContainerKind starts = random.chance(50) ? ContainerKind::Init : ContainerKind::Sidecar;
    NumaWorld::Amounts asked = {{kCpu, random.between(0, random.chance(10) ? 12 : 3)},
                                {kMemory, random.between(1, 4)}};
    if (random.chance(30)) asked.push_back({world.nic, random.between(0, 2)});
    world.container(asked, i < starting ? starts : ContainerKind::App);
  }
  constexpr NumaPolicy kPolicies[] = {NumaPolicy::SingleNode, NumaPolicy::Restricted,
                                      NumaPolicy::BestEffort};
  world.settings.policy = kPolicies[random.below(3)];
  world.settings.scope = random.chance(30) ? NumaScope::Pod : NumaScope::Container;
  world.options.rules = random.chance(30) ? NumaRules::Upstream : NumaRules::Kubelet;
  if (random.chance(30)) world.options.alignment = NumaAlignment::Possible;
  if (random.chance(20)) world.pod.qos = Qos::Burstable;
  made.make();
  return made;
}

TEST(PodAligner, ChargesAlikeWhatItChargesOneByOne) {
  Random random(24);
  int64_t together = 0;
  for (int turn = 0; turn < 20'000; ++turn) {
    Case made = random_case(random);
    PodAligner aligner = made.aligner();
    Cells alike = made.topology.available;
    Cells one_by_one = alike;
    auto most = static_cast<int32_t>(random.between(1, 300));
    int32_t count = 0;
    while (count < most) {
      NumaVerdict verdict = aligner.align(alike);
      ASSERT_EQ(verdict.fits, aligner.align(one_by_one).fits);
      if (!verdict.fits) break;
      int32_t charged = aligner.charge_alike(verdict, alike, alike, most - count);
      ASSERT_GE(charged, 1);
      for (int32_t pod = 0; pod < charged; ++pod) {
        NumaVerdict single = aligner.align(one_by_one);
        ASSERT_TRUE(single.fits) << "turn " << turn;
        ASSERT_EQ(single.zones, verdict.zones) << "turn " << turn;
        aligner.charge(single, one_by_one);
      }
      ASSERT_EQ(alike, one_by_one) << "turn " << turn;
      together += charged > 1 ? 1 : 0;
      count += charged;
    }
    ASSERT_LE(count, most);
  }
  EXPECT_GT(together, 10'000);
}

// The first init container is bound to zone 1 and draws the others there, while zone 1 has the 5
// CPUs of the second one; after that they go to zone 0.
TEST(PodAligner, PodsAreNotAlikeWhenAnInitContainerMoves) {
  Case made;
  made.world.zone("node-0", {{kCpu, 100}});
  made.world.zone("node-1", {{kCpu, 10}, {made.world.nic, 1}});
  made.world.container({{made.world.nic, 1}}, ContainerKind::Init);
  made.world.container({{kCpu, 5}}, ContainerKind::Init);
  made.world.container({{kCpu, 1}});
  made.make();
  PodAligner aligner = made.aligner();
  Cells free = made.topology.available;
  EXPECT_EQ(aligner.charge_alike(aligner.align(free), free, free, 90), 6);
  EXPECT_EQ(free, (Cells{100, 4, kUnlisted, 1}));
  EXPECT_EQ(aligner.charge_alike(aligner.align(free), free, free, 90), 90);
  EXPECT_EQ(free, (Cells{10, 4, kUnlisted, 1}));
}

// The steps in which `most` pods are charged.
int steps(const Case& made, int32_t most) {
  PodAligner aligner = made.aligner();
  Cells free = made.topology.available;
  int count = 0;
  for (int32_t charged = 0; charged < most; ++count) {
    NumaVerdict verdict = aligner.align(free);
    EXPECT_TRUE(verdict.fits);
    if (!verdict.fits) break;
    charged += aligner.charge_alike(verdict, free, free, most - charged);
  }
  return count;
}

// A zone that is nearly full may take one container of a pod, and the next zone the other.
TEST(PodAligner, StepsGrowWithTheZonesAndNotWithThePods) {
  constexpr int kZones = 8;
  constexpr int64_t kCpus = 100'001;
  for (NumaPolicy policy :
       {NumaPolicy::SingleNode, NumaPolicy::Restricted, NumaPolicy::BestEffort}) {
    for (int containers = 1; containers <= 3; ++containers) {
      for (ContainerKind first :
           {ContainerKind::App, ContainerKind::Init, ContainerKind::Sidecar}) {
        Case made;
        made.world.cpus(std::vector<int64_t>(kZones, kCpus));
        made.world.settings.policy = policy;
        for (int i = 0; i < containers; ++i) {
          bool last = i == containers - 1;
          made.world.container({{kCpu, 1}}, last ? ContainerKind::App : first);
        }
        made.make();
        auto most = static_cast<int32_t>(kCpus * kZones / containers);
        EXPECT_LE(steps(made, most), 3 * kZones);
      }
    }
  }
}

// It takes two zones, of which it empties the lower one first.
TEST(PodAligner, APodThatEmptiesAZoneIsAloneInIt) {
  Case made;
  made.world.cpus({10, 10, 10, 10});
  made.world.settings.policy = NumaPolicy::Restricted;
  made.world.container({{kCpu, 12}});
  made.make();
  PodAligner aligner = made.aligner();
  Cells free = made.topology.available;
  EXPECT_EQ(aligner.charge_alike(aligner.align(free), free, free, 9), 1);
  EXPECT_EQ(free, (Cells{0, 8, 10, 10}));
}

}  // namespace
}  // namespace trellis::pod_aligner_test
