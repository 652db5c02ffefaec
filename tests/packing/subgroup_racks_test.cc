// Racks that a gang with subgroups of pods of different sizes spans, over the least possible, in
// halls that are filled at random.

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "tests/packing/hall.h"
#include "tests/support/random.h"

namespace trellis::subgroup_racks_test {
namespace {

using packing::Hall;

// Pods of 8, 4 and 2 GPUs, which fill as many whole nodes as `nodes`.
GangArgs args_of(int32_t nodes, const std::string& subgroups_prefer) {
  GangArgs args;
  args.topology = "hall";
  args.preferred = "rack";
  args.min_member = 2 * nodes;
  for (auto [name, pods] : {std::pair("a", nodes / 2), {"b", nodes / 2}, {"c", nodes}}) {
    SubgroupArgs& subgroup = args.subgroups.emplace_back();
    subgroup.name = name;
    subgroup.min_member = pods;
    if (subgroups_prefer.empty()) continue;
    subgroup.topology = "hall";
    subgroup.preferred = subgroups_prefer;
  }
  return args;
}

void add_gang(Hall& hall, int32_t nodes, const std::string& subgroups_prefer) {
  GangArgs args = args_of(nodes, subgroups_prefer);
  hall.world.gang("g", args);
  int64_t gpus = 8;
  for (const SubgroupArgs& subgroup : args.subgroups) {
    for (int32_t i = 0; i < subgroup.min_member; ++i) {
      hall.world.pod("g-" + subgroup.name + std::to_string(i), "g",
                     {.gpu = gpus, .subgroup = subgroup.name});
    }
    gpus /= 2;
  }
}

void expect_few_racks(const std::string& subgroups_prefer) {
  for (uint32_t fill : {20U, 50U, 80U, 90U}) {
    size_t used = 0;
    size_t least = 0;
    size_t exact = 0;
    size_t gangs = 0;
    for (uint64_t seed = 1; seed <= 2; ++seed) {
      for (int32_t nodes : {8, 16, 24, 32, 48, 64, 96}) {
        Random random(seed);
        Hall hall({2, 4, 8, 16});
        hall.fill(random, fill);
        uint32_t possible = hall.free.least_racks(static_cast<uint32_t>(nodes));
        add_gang(hall, nodes, subgroups_prefer);
        hall.world.cycle();
        size_t racks = hall.take("g");
        EXPECT_EQ(racks > 0, possible > 0) << "seed " << seed << ", fill " << fill;
        used += racks;
        least += possible;
        exact += racks == possible ? 1 : 0;
        ++gangs;
      }
    }
    double ratio = static_cast<double>(used) / static_cast<double>(least);
    std::printf("at %u %%: %zu racks, at the least %zu (%.3f), %zu of %zu gangs exact\n", fill,
                used, least, ratio, exact, gangs);
    EXPECT_LE(100 * used, 102 * least) << "at " << fill << " %";
  }
}

TEST(SubgroupRacks, OfSubgroupsThatAskForNothing) { expect_few_racks(""); }

TEST(SubgroupRacks, OfSubgroupsThatPreferARack) { expect_few_racks("rack"); }

}  // namespace
}  // namespace trellis::subgroup_racks_test
