// How well halls are packed: whole racks and blocks stay whole, and gangs span few racks. The bars
// are counted over halls that are filled at random.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/packing/hall.h"
#include "tests/support/random.h"
#include "tests/support/world.h"

namespace trellis::domain_order_test {
namespace {

using packing::FreeNodes;
using packing::Hall;
using packing::kHostname;
using packing::Shape;

enum class Asks { ForRack, ForNode, ForNothing };

GangArgs one_pod(Asks asks) {
  GangArgs args{.count = 1, .pod = {.gpu = 8}};
  if (asks == Asks::ForNothing) return args;
  args.topology = "hall";
  args.required = asks == Asks::ForRack ? "rack" : kHostname;
  return args;
}

// Single pods take whole racks and blocks only where no other has room, whatever they ask for.
void expect_whole_racks_kept(Asks asks) {
  int kept = 0;
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    Random random(seed);
    Hall hall({1 + random.below(2), 1 + random.below(3), 2 + random.below(3), 1 + random.below(4)});
    hall.fill(random, 10 + random.below(50));
    uint32_t gangs = std::min(1 + random.below(4), hall.free.total());
    FreeNodes best = hall.free;
    for (uint32_t i = 0; i < gangs; ++i) {
      hall.world.gang("g" + std::to_string(i), one_pod(asks));
      best.take_best();
    }
    hall.world.cycle();
    for (uint32_t i = 0; i < gangs; ++i) hall.take("g" + std::to_string(i));
    bool all = hall.free.whole_racks() == best.whole_racks() &&
               hall.free.whole_blocks() == best.whole_blocks() &&
               hall.free.largest_in_rack() == best.largest_in_rack() &&
               hall.free.largest_in_block() == best.largest_in_block();
    kept += all ? 1 : 0;
  }
  EXPECT_EQ(kept, 200) << "halls whose whole racks and blocks are kept";
}

TEST(DomainOrder, OnePodInARackKeepsWholeRacks) { expect_whole_racks_kept(Asks::ForRack); }

TEST(DomainOrder, OnePodOnANodeKeepsWholeRacks) { expect_whole_racks_kept(Asks::ForNode); }

TEST(DomainOrder, OnePodAnywhereKeepsWholeRacks) { expect_whole_racks_kept(Asks::ForNothing); }

// The gang that needs a whole rack finds it after those that need a node.
TEST(DomainOrder, AWholeRackIsLeftForWhoNeedsIt) {
  World world;
  world.topology("t", {"rack", kHostname});
  for (const char* name : {"a-0", "a-1", "b-0"}) {
    world.node(name, {.gpu = 8, .labels = {{"rack", {name[0]}}, {kHostname, name}}});
  }
  world.gang("one", {.count = 1, .pod = {.gpu = 8}, .topology = "t", .required = "rack"});
  world.gang(
      "two",
      {.count = 2, .pod = {.gpu = 8}, .topology = "t", .required = "rack", .created = 1'000'000});
  world.cycle();
  EXPECT_EQ(world.node_of("one-0"), "b-0");
  EXPECT_EQ(world.status_of("two-0"), PodStatus::Bound);
}

// Racks spanned over the least possible in the lowest domain that holds the gang, by how full the
// halls are.
TEST(DomainOrder, GangsSpanTheFewestRacks) {
  for (uint32_t fill : {20U, 50U, 80U, 90U}) {
    size_t used = 0;
    size_t least = 0;
    size_t anywhere = 0;
    for (uint64_t seed = 1; seed <= 4; ++seed) {
      Random random(seed);
      Hall hall({4, 4, 16, 16});
      hall.fill(random, fill);
      hall.world.config.limits.look_ahead = 0;  // the least is that of gangs in their order
      std::vector<int32_t> sizes = {32, 48, 64, 96, 128, 192, 256, 384, 512};
      random.shuffle(sizes);
      for (size_t i = 0; i < sizes.size(); ++i) {
        hall.world.gang("g" + std::to_string(i), {.count = sizes[i],
                                                  .pod = {.gpu = 8},
                                                  .topology = "hall",
                                                  .preferred = "rack",
                                                  .created = static_cast<TimeUs>(i) * 1'000'000});
      }
      hall.world.cycle();
      for (size_t i = 0; i < sizes.size(); ++i) {
        uint32_t possible = hall.free.least_racks(static_cast<uint32_t>(sizes[i]));
        anywhere += hall.free.least_racks_anywhere(static_cast<uint32_t>(sizes[i]));
        size_t racks = hall.take("g" + std::to_string(i));
        EXPECT_EQ(racks > 0, possible > 0) << "seed " << seed << ", fill " << fill;
        used += racks;
        least += possible;
      }
    }
    double ratio = static_cast<double>(used) / static_cast<double>(least);
    RecordProperty("ratio_at_" + std::to_string(fill), std::to_string(ratio));
    double over_all = static_cast<double>(used) / static_cast<double>(anywhere);
    RecordProperty("anywhere_at_" + std::to_string(fill), std::to_string(over_all));
    EXPECT_EQ(used, least) << "at " << fill << " %";
  }
}

// The largest gang of whole nodes that a rack and a block still take once small gangs fill a part
// of the GPUs, in percent of what they would take if all that is free lay together.
TEST(DomainOrder, SmallWorkLeavesRoomForLargeGangs) {
  const Shape shape{2, 2, 8, 16};
  constexpr int64_t kGpus = 8;
  for (uint32_t fill : {60U, 90U}) {
    double in_rack = 0;
    double in_block = 0;
    constexpr int kSeeds = 4;
    for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
      Random random(seed);
      Hall hall(shape);
      int64_t nodes = int64_t{hall.free.racks()} * shape.nodes;
      int64_t left = nodes * kGpus * fill / 100;
      for (int i = 0; left > 0; ++i) {
        int64_t gpus = std::min(left, int64_t{1} << random.below(4));
        auto pods = static_cast<int32_t>(std::min(left / gpus, random.between(1, 4)));
        GangArgs args{.count = pods, .pod = {.gpu = gpus}, .created = i * TimeUs{1'000'000}};
        bool near = random.chance(50);
        if (near) args.topology = "hall";
        if (near) args.preferred = "rack";
        hall.world.gang("w" + std::to_string(i), args);
        left -= gpus * pods;
      }
      hall.world.cycle();
      auto [rack, block] = hall.largest_gangs();
      int64_t free = nodes * (100 - fill) / 100;
      in_rack += 100.0 * rack / static_cast<double>(std::min<int64_t>(free, shape.nodes));
      int64_t of_block = int64_t{shape.nodes} * shape.racks;
      in_block += 100.0 * block / static_cast<double>(std::min<int64_t>(free, of_block));
    }
    std::string at = "_at_" + std::to_string(fill);
    RecordProperty("rack" + at, std::to_string(in_rack / kSeeds));
    RecordProperty("block" + at, std::to_string(in_block / kSeeds));
    EXPECT_EQ(in_rack, 100.0 * kSeeds) << "at " << fill << " %";
    EXPECT_EQ(in_block, 100.0 * kSeeds) << "at " << fill << " %";
  }
}

class ManyPods : public ::testing::Test {
 protected:
  void add_racks(const std::map<std::string, int>& racks) {
    world.topology("t", {"block", "rack"});
    for (const auto& [rack, nodes] : racks) {
      for (int i = 0; i < nodes; ++i) {
        world.node(rack + "-" + std::to_string(i),
                   {.gpu = 8, .labels = {{"block", rack.substr(0, 2)}, {"rack", rack}}});
      }
    }
  }
  // "b1r1:4 b1r2:1"
  std::string racks_of(std::string_view gang) const {
    std::map<std::string, int> counts;
    for (PodId pod : world.cluster.pods_of(world.gang_id(gang))) {
      NodeId node = world.record().pods[pod].node;
      if (node.valid()) ++counts[std::string(world.cluster.nodes()[node].name).substr(0, 4)];
    }
    std::string text;
    for (const auto& [rack, pods] : counts) {
      if (!text.empty()) text += " ";
      text += rack + ":" + std::to_string(pods);
    }
    return text;
  }

  World world;
};

// All pods choose the rack, not only those that start it.
TEST_F(ManyPods, ARackForAllPodsComesBeforeOneForTheMinimum) {
  add_racks({{"b1r1", 4}, {"b1r2", 8}});
  world.gang("g",
             {.min_member = 4, .count = 8, .pod = {.gpu = 8}, .topology = "t", .required = "rack"});
  world.cycle();
  EXPECT_EQ(racks_of("g"), "b1r2:8");
}

TEST_F(ManyPods, WhereNoRackTakesAllTheMinimumChooses) {
  add_racks({{"b1r1", 4}, {"b1r2", 6}});
  world.gang("g",
             {.min_member = 4, .count = 8, .pod = {.gpu = 8}, .topology = "t", .required = "rack"});
  world.cycle();
  EXPECT_EQ(racks_of("g"), "b1r1:4");
}

// Pods behind a gate may come: room is left for them.
TEST_F(ManyPods, HeldPodsCount) {
  add_racks({{"b1r1", 4}, {"b1r2", 8}});
  world.gang("g",
             {.min_member = 4, .count = 4, .pod = {.gpu = 8}, .topology = "t", .required = "rack"});
  for (int i = 0; i < 4; ++i) {
    world.pod("held-" + std::to_string(i), "g", {.gpu = 8, .hold = PodHold::SchedulingGates});
  }
  world.cycle();
  EXPECT_EQ(racks_of("g"), "b1r2:4");
}

// Each kind of pods has to find room by itself.
TEST_F(ManyPods, DifferentPodsChooseTogether) {
  add_racks({{"b1r1", 4}, {"b2r1", 4}, {"b2r2", 5}});
  world.gang(
      "g", {.min_member = 4, .count = 4, .pod = {.gpu = 8}, .topology = "t", .required = "block"});
  for (int i = 0; i < 5; ++i) world.pod("small-" + std::to_string(i), "g", {.gpu = 6});
  world.cycle();
  EXPECT_EQ(racks_of("g"), "b2r1:4 b2r2:5");
}

TEST_F(ManyPods, SpreadTakesTheEmptiestDomainsAround) {
  world.config.placement_strategy.domain = Strategy::Spread;
  add_racks({{"b1r1", 2}, {"b1r2", 2}, {"b2r1", 2}, {"b2r2", 3}, {"b3r1", 3}});
  world.gang("g", {.count = 2, .pod = {.gpu = 8}, .topology = "t", .required = "rack"});
  world.cycle();
  EXPECT_EQ(racks_of("g"), "b2r2:2");
}

}  // namespace
}  // namespace trellis::domain_order_test
