// Every assignment of zones to containers, spelled out, against `alignment: possible`; and what
// must hold of the greedy verdict beside it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "plugins/numa/alignment.h"
#include "tests/plugins/numa/numa_world.h"
#include "tests/support/long_run.h"
#include "tests/support/random.h"

namespace trellis::numa_alignment_test {
namespace {

using Units = std::vector<std::vector<int64_t>>;  // amounts by resource; -1: not asked for

struct Zones {
  Units free;         // by zone; -1: not listed
  Units allocatable;  // by zone
};

// Whether amounts, each from its own set of zones, are to be had together: by Hall's theorem every
// union of the sets holds what must come from inside it.
bool together(const std::vector<std::pair<uint32_t, int64_t>>& amounts, const Zones& zones,
              size_t resource) {
  for (uint32_t within = 0; within < (1U << zones.free.size()); ++within) {
    int64_t asked = 0;
    for (const auto& [set, amount] : amounts) {
      if ((set & ~within) == 0) asked += amount;
    }
    int64_t there = 0;
    for (size_t zone = 0; zone < zones.free.size(); ++zone) {
      if ((within >> zone & 1) != 0) there += std::max<int64_t>(0, zones.free[zone][resource]);
    }
    if (asked > there) return false;
  }
  return true;
}

struct Spelled {
  Zones zones;
  std::vector<ContainerKind> kinds;
  Units asked;
  NumaPolicy policy;

  size_t resources() const { return zones.free.empty() ? 0 : zones.free[0].size(); }

  // The number of zones a container takes; 0: none will do.
  int size_of(const std::vector<int64_t>& container) const {
    int size = -1;
    for (size_t resource = 0; resource < container.size(); ++resource) {
      if (container[resource] <= 0) continue;
      int fewest = fewest_zones(container[resource], resource);
      if (policy == NumaPolicy::SingleNode) fewest = 1;
      if (fewest == 0 || (size > 0 && fewest != size)) return 0;
      size = fewest;
    }
    return size;
  }
  int fewest_zones(int64_t amount, size_t resource) const {
    int fewest = 0;
    for (uint32_t set = 1; set < (1U << zones.free.size()); ++set) {
      int64_t sum = 0;
      for (size_t zone = 0; zone < zones.free.size(); ++zone) {
        if ((set >> zone & 1) != 0) sum += std::max<int64_t>(0, zones.allocatable[zone][resource]);
      }
      int size = __builtin_popcount(set);
      if (sum >= amount && (fewest == 0 || size < fewest)) fewest = size;
    }
    return fewest;
  }

  // At every moment: while each init container runs, and when all others do.
  bool is_active(const std::vector<uint32_t>& sets) const {
    for (size_t moment = 0; moment <= kinds.size(); ++moment) {
      if (moment < kinds.size() && kinds[moment] != ContainerKind::Init) continue;
      for (size_t resource = 0; resource < resources(); ++resource) {
        std::vector<std::pair<uint32_t, int64_t>> amounts;
        for (size_t i = 0; i < kinds.size(); ++i) {
          bool there = i == moment || (kinds[i] == ContainerKind::Sidecar && i < moment) ||
                       (kinds[i] == ContainerKind::App && moment == kinds.size());
          if (there && asked[i][resource] > 0) amounts.push_back({sets[i], asked[i][resource]});
        }
        if (!together(amounts, zones, resource)) return false;
      }
    }
    return true;
  }

  bool possible() const {
    std::vector<int> sizes;
    for (const auto& container : asked) {
      sizes.push_back(size_of(container));
      if (sizes.back() == 0) return false;
    }
    std::vector<uint32_t> sets(asked.size(), 0);
    uint32_t end = 1U << zones.free.size();
    uint64_t all = 1;
    for (size_t i = 0; i < asked.size(); ++i) all *= end;
    for (uint64_t number = 0; number < all; ++number) {
      uint64_t rest = number;
      bool sized = true;
      for (size_t i = 0; i < asked.size(); ++i, rest /= end) {
        sets[i] = static_cast<uint32_t>(rest % end);
        int size = sizes[i] < 0 ? 0 : sizes[i];
        sized = sized && __builtin_popcount(sets[i]) == size;
      }
      if (sized && is_active(sets)) return true;
    }
    return false;
  }
};

Spelled random_case(Random& random) {
  Spelled made;
  size_t zones = static_cast<size_t>(random.between(1, 4));
  size_t resources = static_cast<size_t>(random.between(1, 3));
  for (size_t zone = 0; zone < zones; ++zone) {
    auto& free = made.zones.free.emplace_back();
    auto& allocatable = made.zones.allocatable.emplace_back();
    for (size_t resource = 0; resource < resources; ++resource) {
      int64_t most = random.between(1, 6);
      bool listed = zone == 0 || random.chance(90);  // some zone always lists it
      allocatable.push_back(listed ? most : -1);
      free.push_back(listed ? random.between(most / 2, most) : -1);
    }
  }
  size_t containers = static_cast<size_t>(random.between(1, 4));
  size_t starting = random.below(static_cast<uint32_t>(containers));
  for (size_t i = 0; i < containers; ++i) {
    bool app = i >= starting;
    made.kinds.push_back(app ? ContainerKind::App
                             : (random.chance(50) ? ContainerKind::Init : ContainerKind::Sidecar));
    auto& asked = made.asked.emplace_back();
    for (size_t resource = 0; resource < resources; ++resource) {
      asked.push_back(random.chance(75) ? random.between(0, random.chance(20) ? 9 : 3) : -1);
    }
  }
  made.policy = random.chance(50) ? NumaPolicy::SingleNode : NumaPolicy::Restricted;
  return made;
}

void fill(NumaWorld& world, const Spelled& made) {
  std::vector<ResourceId> resources = {kCpu, kGpu, world.nic};
  for (size_t zone = 0; zone < made.zones.free.size(); ++zone) {
    std::vector<ResourceAmount> free;
    std::vector<ResourceAmount> whole;
    for (size_t i = 0; i < made.resources(); ++i) {
      if (made.zones.free[zone][i] < 0) continue;
      free.push_back({resources[i], made.zones.free[zone][i]});
      whole.push_back({resources[i], made.zones.allocatable[zone][i]});
    }
    world.zone("node-" + std::to_string(zone), free, whole);
  }
  for (size_t i = 0; i < made.kinds.size(); ++i) {
    std::vector<ResourceAmount> requests;
    for (size_t j = 0; j < made.resources(); ++j) {
      if (made.asked[i][j] >= 0) requests.push_back({resources[j], made.asked[i][j]});
    }
    world.container(requests, made.kinds[i]);
  }
  world.settings.policy = made.policy;
}

std::vector<uint32_t> sets_of(const NumaVerdict& verdict) {
  return {verdict.zones.begin(), verdict.zones.end()};
}

TEST(NumaOracle, PossibleIsWhatSomeAssignmentAllows) {
  Random random(9);
  int64_t fit = 0;
  int64_t greedy_refuses = 0;
  auto rounds = static_cast<int64_t>(long_run(4'000, 100'000));
  for (int64_t round = 0; round < rounds; ++round) {
    Spelled made = random_case(random);
    NumaWorld world;
    fill(world, made);
    bool possible = made.possible();
    NumaVerdict greedy = world.verdict();
    world.options.alignment = NumaAlignment::Possible;
    NumaVerdict found = world.verdict();
    ASSERT_EQ(found.fits, possible) << "round " << round;
    ASSERT_TRUE(found.proved);
    ASSERT_TRUE(!found.fits || made.is_active(sets_of(found))) << "round " << round;
    ASSERT_TRUE(!greedy.fits || made.is_active(sets_of(greedy))) << "round " << round;
    fit += possible ? 1 : 0;
    greedy_refuses += possible && !greedy.fits ? 1 : 0;
  }
  // Both answers occur, and so does the difference between the two ways.
  EXPECT_GT(fit, rounds / 4);
  EXPECT_LT(fit, rounds * 3 / 4);
  EXPECT_GT(greedy_refuses, 0);
}

}  // namespace
}  // namespace trellis::numa_alignment_test
