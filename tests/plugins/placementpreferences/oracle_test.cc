// Divisions in random trees, held against the rule and, where that is small enough, against every
// division there is.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <string>

#include "tests/support/long_run.h"
#include "tests/support/preference_world.h"
#include "tests/support/random.h"

namespace trellis::oracle_test {
namespace {

using Over = PlacementPreference::Over;
using Way = PlacementPreference::Way;

const std::vector<std::string> kLabels{"dc", "row", "rack"};
const std::vector<std::string> kValues{"a", "b", "c", "d"};

PlacementPreference random_label(Random& random, StringTable& strings, size_t level) {
  PlacementPreference made;
  made.label = strings.intern(kLabels[level]);
  if (random.chance(30)) {
    made.way = Way::Pack;
  } else if (random.chance(30)) {
    for (const std::string& value : kValues) {
      if (!random.chance(60)) continue;
      made.weights.push_back({strings.intern(value), static_cast<int32_t>(1 + random.below(9))});
    }
  }
  return made;
}

PreferenceWorld random_world(Random& random) {
  PreferenceWorld world;
  size_t levels = random.below(4);
  for (size_t i = 0; i < levels; ++i) {
    world.preferences.push_back(random_label(random, world.strings, i));
  }
  if (random.chance(40)) {
    PlacementPreference last;
    last.over = random.chance(50) ? Over::Node : Over::Resource;
    last.way = random.chance(50) ? Way::Spread : Way::Pack;
    world.preferences.push_back(last);
    if (last.over == Over::Resource) world.request = 1 + random.below(3);
  }
  size_t nodes = 1 + random.below(14);
  for (size_t i = 0; i < nodes; ++i) {
    PreferenceNode node;
    node.name = std::string("n") + (i < 10 ? "0" : "") + std::to_string(i);
    for (const std::string& label : kLabels) {
      if (random.chance(85)) node.labels[label] = random.pick(kValues);
    }
    node.room = random.chance(25) ? 0 : static_cast<int32_t>(random.below(7));
    node.running = random.chance(50) ? 0 : static_cast<int32_t>(random.below(6));
    node.pods = node.running + static_cast<int32_t>(random.below(4));
    node.failures = random.chance(10) ? static_cast<int32_t>(5 + random.below(2)) : 0;
    node.used = random.below(8);
    node.capacity = node.used + node.room * world.request + random.below(4) + 1;
    world.nodes.push_back(node);
  }
  // Packed over single nodes, those that failed come last; the plain rule knows nothing of it.
  bool packs_nodes = !world.preferences.empty() && world.preferences.back().over == Over::Node &&
                     world.preferences.back().way == Way::Pack;
  if (packs_nodes) {
    for (PreferenceNode& node : world.nodes) node.failures = 0;
  }
  return world;
}

int64_t room_of(const PreferenceWorld& world) {
  int64_t room = 0;
  for (const PreferenceNode& node : world.nodes) room += node.room;
  return room;
}

TEST(PreferenceOracle, RandomTreesKeepTheRule) {
  uint64_t runs = long_run(20'000, 200'000);
  for (uint64_t seed = 0; seed < runs; ++seed) {
    Random random(seed);
    PreferenceWorld world = random_world(random);
    PreferenceEngine engine(world);
    auto pods = static_cast<int64_t>(random.below(30));
    std::vector<int32_t> added = engine.divide(pods);
    ASSERT_EQ(std::accumulate(added.begin(), added.end(), int64_t{0}),
              std::min(pods, room_of(world)))
        << "seed " << seed;
    ASSERT_EQ(broken_rule(world, added), "") << "seed " << seed;
    // Whatever was asked in between, the answer stays.
    engine.divide(random.below(30));
    ASSERT_EQ(engine.divide(pods), added) << "seed " << seed;
  }
}

// All ways to put pods on nodes; `seen` gets each.
void each_division(const std::vector<int32_t>& room,
                   const std::function<void(const std::vector<int32_t>&)>& seen) {
  std::vector<int32_t> added(room.size());
  while (true) {
    seen(added);
    size_t at = 0;
    while (at < room.size() && added[at] == room[at]) added[at++] = 0;
    if (at == room.size()) return;
    ++added[at];
  }
}

int64_t total_of(const PreferenceWorld& world, const std::vector<size_t>& group,
                 const std::vector<int32_t>& added) {
  int64_t total = 0;
  for (size_t node : group) total += world.nodes[node].running + added[node];
  return total;
}

std::vector<int64_t> totals_down(const PreferenceWorld& world,
                                 const std::vector<std::vector<size_t>>& groups,
                                 const std::vector<int32_t>& added) {
  std::vector<int64_t> totals;
  for (const std::vector<size_t>& group : groups) totals.push_back(total_of(world, group, added));
  std::ranges::sort(totals, std::greater<>());
  return totals;
}

// Few nodes, plain spread.
PreferenceWorld small_world(Random& random, size_t levels) {
  PreferenceWorld world;
  for (size_t i = 0; i < levels; ++i) {
    PlacementPreference spread;
    spread.label = world.strings.intern(kLabels[i]);
    world.preferences.push_back(spread);
  }
  size_t nodes = 2 + random.below(4);
  for (size_t i = 0; i < nodes; ++i) {
    PreferenceNode node;
    node.name = "n" + std::to_string(i);
    for (const std::string& label : kLabels) {
      if (random.chance(90)) node.labels[label] = kValues[random.below(2 + (label == "dc"))];
    }
    node.room = static_cast<int32_t>(random.below(4));
    node.running = static_cast<int32_t>(random.below(4));
    world.nodes.push_back(node);
  }
  return world;
}

std::vector<int32_t> rooms_of(const PreferenceWorld& world) {
  std::vector<int32_t> room;
  for (const PreferenceNode& node : world.nodes) room.push_back(node.room);
  return room;
}

// Below the root nothing has a lesser list of totals, the greatest first, than the answer.
TEST(PreferenceOracle, NoDivisionIsMoreEven) {
  uint64_t runs = long_run(2'000, 20'000);
  for (uint64_t seed = 0; seed < runs; ++seed) {
    Random random(seed);
    PreferenceWorld world = small_world(random, 1 + random.below(2));
    PreferenceEngine engine(world);
    int64_t pods = std::min<int64_t>(random.below(8), room_of(world));
    std::vector<std::vector<size_t>> groups = groups_at(world, 1);
    std::vector<int64_t> answer = totals_down(world, groups, engine.divide(pods));
    std::optional<std::vector<int64_t>> best;
    each_division(rooms_of(world), [&](const std::vector<int32_t>& added) {
      if (std::accumulate(added.begin(), added.end(), int64_t{0}) != pods) return;
      std::vector<int64_t> totals = totals_down(world, groups, added);
      if (!best || totals < *best) best = totals;
    });
    ASSERT_EQ(answer, *best) << "seed " << seed;
  }
}

// Every group that got a pod is at most max_skew above every sibling that binds it.
bool keeps_skew(const PreferenceWorld& world, const std::vector<int32_t>& added) {
  for (size_t level = 0; level < world.preferences.size(); ++level) {
    int32_t skew = world.preferences[level].max_skew;
    if (skew == 0) continue;
    std::vector<std::vector<size_t>> parents = groups_at(world, level);
    std::vector<std::vector<size_t>> groups = groups_at(world, level + 1);
    for (const std::vector<size_t>& parent : parents) {
      int64_t least = INT64_MAX;
      int64_t most_that_grew = 0;
      for (const std::vector<size_t>& group : groups) {
        if (std::ranges::find(parent, group.front()) == parent.end()) continue;
        int64_t total = 0;
        bool grew = false;
        bool open = false;
        for (size_t node : group) {
          total += world.nodes[node].running + added[node];
          grew = grew || added[node] > 0;
          open = open || !world.nodes[node].closed;
        }
        if (open) least = std::min(least, total);
        if (grew) most_that_grew = std::max(most_that_grew, total);
      }
      if (least != INT64_MAX && most_that_grew > least + skew) return false;
    }
  }
  return true;
}

TEST(PreferenceOracle, HardPreferencesPlaceAsManyAsTheSkewAllows) {
  uint64_t runs = long_run(3'000, 30'000);
  uint64_t bound = 0;
  for (uint64_t seed = 0; seed < runs; ++seed) {
    Random random(seed);
    PreferenceWorld world = small_world(random, 1 + random.below(2));
    for (PlacementPreference& level : world.preferences) {
      level.max_skew = static_cast<int32_t>(random.below(3));
      if (level.max_skew == 0 && random.chance(50)) level.way = Way::Pack;
    }
    PlacementPreference& sure =
        world.preferences[random.below(static_cast<uint32_t>(world.preferences.size()))];
    sure.max_skew = 1;
    sure.way = Way::Spread;
    for (PreferenceNode& node : world.nodes) {
      node.closed = random.chance(20);
      if (node.closed) node.room = 0;
    }
    int64_t most = 0;
    each_division(rooms_of(world), [&](const std::vector<int32_t>& added) {
      if (!keeps_skew(world, added)) return;
      most = std::max(most, std::accumulate(added.begin(), added.end(), int64_t{0}));
    });
    PreferenceEngine engine(world);
    ASSERT_EQ(engine.groups().most(), most) << "seed " << seed;
    std::vector<int32_t> added = engine.divide(random.below(12));
    ASSERT_TRUE(keeps_skew(world, added)) << "seed " << seed;
    added = engine.divide(1'000);
    ASSERT_EQ(std::accumulate(added.begin(), added.end(), int64_t{0}), most) << "seed " << seed;
    ASSERT_TRUE(keeps_skew(world, added)) << "seed " << seed;
    // One by one, too.
    std::vector<int32_t> begun(world.nodes.size());
    for (NodeId node : engine.groups().sequence()) {
      ++begun[node.value];
      ASSERT_TRUE(keeps_skew(world, begun)) << "seed " << seed;
    }
    if (most < room_of(world)) ++bound;
  }
  EXPECT_GT(bound, runs / 10);  // the preference did stop something
}

// Grows, shrinks and grows a service by random steps; what stands is as even as a fresh placement,
// within one pod a group. Pods leave from where most are, as a controller that cares would choose.
TEST(PreferenceOracle, ScalingUpAndDownStaysEven) {
  uint64_t runs = long_run(200, 2'000);
  for (uint64_t seed = 0; seed < runs; ++seed) {
    auto make_empty = [](Random& from) {
      PreferenceWorld made = small_world(from, 1 + from.below(3));
      for (PreferenceNode& node : made.nodes) {
        node.room = 30;
        node.running = 0;
      }
      return made;
    };
    Random random(seed);
    Random again_from(seed);
    PreferenceWorld world = make_empty(random);
    PreferenceWorld empty = make_empty(again_from);
    PreferenceEngine engine(world);
    PreferenceEngine fresh(empty);
    int64_t present = 0;
    auto move = [&](size_t node, int32_t change) {
      world.nodes[node].room -= change;
      world.nodes[node].running += change;
      world.nodes[node].pods += change;
      engine.node_changed(node);
      present += change;
    };
    for (int step = 0; step < 12; ++step) {
      std::vector<int32_t> added = engine.divide(random.below(12));
      for (size_t i = 0; i < added.size(); ++i) {
        if (added[i] > 0) move(i, added[i]);
      }
      // What a division of the rest would not give back leaves first.
      auto leave = static_cast<int64_t>(random.below(8));
      std::vector<int32_t> wanted = fresh.divide(std::max<int64_t>(0, present - leave));
      for (size_t i = 0; i < wanted.size() && leave > 0; ++i) {
        auto down =
            static_cast<int32_t>(std::clamp<int64_t>(world.nodes[i].running - wanted[i], 0, leave));
        if (down > 0) move(i, -down);
        leave -= down;
      }
      std::vector<int32_t> none(world.nodes.size());
      std::vector<int32_t> again = fresh.divide(present);
      for (size_t level = 1; level <= world.preferences.size(); ++level) {
        for (const std::vector<size_t>& group : groups_at(world, level)) {
          int64_t apart = total_of(world, group, none) - total_of(empty, group, again);
          ASSERT_LE(std::abs(apart), 1) << "seed " << seed << " step " << step;
        }
      }
    }
  }
}

// The kept state after any changes is that of a fresh one.
TEST(PreferenceOracle, ChangesAreFollowed) {
  for (uint64_t seed = 0; seed < 2'000; ++seed) {
    Random random(seed);
    PreferenceWorld world = random_world(random);
    PreferenceEngine engine(world);
    engine.divide(random.below(10));
    for (int step = 0; step < 5; ++step) {
      size_t node = random.below(static_cast<uint32_t>(world.nodes.size()));
      PreferenceNode& one = world.nodes[node];
      one.running = static_cast<int32_t>(random.below(6));
      one.pods = one.running + static_cast<int32_t>(random.below(3));
      if (one.room > 0)
        one.room = static_cast<int32_t>(random.below(static_cast<uint32_t>(one.room) + 1));
      engine.node_changed(node);
      int64_t pods = random.below(20);
      ASSERT_EQ(engine.divide(pods), PreferenceEngine(world).divide(pods)) << "seed " << seed;
    }
  }
}

TEST(GroupTree, NodesWithoutALabelAreTheLastOfTheirSiblings) {
  PreferenceWorld world;
  PlacementPreference dc;
  dc.label = world.strings.intern("dc");
  PlacementPreference rack;
  rack.label = world.strings.intern("rack");
  world.preferences = {dc, rack};
  world.nodes = {{.name = "a", .labels = {{"rack", "r1"}}},
                 {.name = "b", .labels = {{"dc", "d2"}, {"rack", "r1"}}},
                 {.name = "c", .labels = {{"dc", "d1"}, {"rack", ""}}},
                 {.name = "d", .labels = {{"dc", "d1"}, {"rack", "r1"}}}};
  PreferenceEngine engine(world);
  const GroupTree& tree = engine.tree();
  GroupRange first = tree.children(GroupTree::kRoot);
  ASSERT_EQ(first.size(), 3U);
  EXPECT_EQ(world.strings.view(tree.value(GroupId(first.first))), "d1");
  EXPECT_FALSE(tree.value(GroupId(first.last - 1)).valid());
  ASSERT_EQ(tree.children(GroupId(first.first)).size(), 2U);
  std::vector<uint32_t> order;
  for (NodeId node : tree.node_order()) order.push_back(node.value);
  EXPECT_EQ(order, (std::vector<uint32_t>{3, 2, 1, 0}));
}

}  // namespace
}  // namespace trellis::oracle_test
