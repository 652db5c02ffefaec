#include "topology/domain_counts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "tests/support/world.h"
#include "tests/topology/kai_tree.h"

namespace trellis::domain_counts_test {
namespace {

TopologyTree tree_of(World& world, const std::vector<std::string>& labels) {
  Topology topology = make_topology(world.cluster.vocabulary(), "t", labels);
  return TopologyTree(topology, world.cluster.nodes_by_name(), world.cluster.nodes(),
                      world.cluster.vocabulary().strings);
}

std::map<std::string, int64_t> by_path(World& world, const TopologyTree& tree,
                                       const DomainCounts& counts) {
  std::map<std::string, int64_t> all;
  for (uint32_t id = 0; id < tree.domain_count(); ++id) {
    std::string text;
    for (StrId value : tree.path(DomainId(id))) {
      text += "/" + std::string(world.cluster.vocabulary().strings.view(value));
    }
    all[text] = counts[DomainId(id)];
  }
  return all;
}

IndexedVector<NodeId, int32_t> pods_of_gpus(const World& world, int64_t gpus) {
  IndexedVector<NodeId, int32_t> fit(world.cluster.nodes().size(), 0);
  for (uint32_t i = 0; i < fit.size(); ++i) {
    int64_t capacity = world.cluster.nodes()[NodeId(i)].allocatable.get(kGpu) / kMilli;
    fit[NodeId(i)] = static_cast<int32_t>(capacity / gpus);
  }
  return fit;
}

TEST(DomainCounts, KaisDesignTree) {
  World world;
  add_kai_tree(world);
  TopologyTree tree = tree_of(world, {"zone", "rack"});
  DomainCounts fours(tree, pods_of_gpus(world, 4));
  EXPECT_EQ(by_path(world, tree, fours), (std::map<std::string, int64_t>{{"", 4},
                                                                         {"/A", 1},
                                                                         {"/A/A1", 0},
                                                                         {"/A/A2", 1},
                                                                         {"/A/A3", 0},
                                                                         {"/B", 2},
                                                                         {"/B/B1", 2},
                                                                         {"/B/B2", 0},
                                                                         {"/C", 1},
                                                                         {"/C/C1", 1}}));
  DomainCounts ones(tree, pods_of_gpus(world, 1));
  auto gpus = by_path(world, tree, ones);
  EXPECT_EQ(gpus[""], 32);
  EXPECT_EQ(gpus["/A"], 16);
  EXPECT_EQ(gpus["/B"], 10);
  EXPECT_EQ(gpus["/C"], 6);
}

TEST(DomainCounts, FollowsChangesInRaggedTrees) {
  for (uint32_t seed = 1; seed <= 50; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    auto below = [&](uint32_t n) { return static_cast<uint32_t>(random() % n); };
    World world;
    uint32_t nodes = 1 + below(12);
    for (uint32_t i = 0; i < nodes; ++i) {
      LabelMap labels;
      if (below(5) > 0) labels["a"] = "a" + std::to_string(below(2));
      if (below(5) > 0) labels["b"] = "b" + std::to_string(below(3));
      if (below(5) > 0) labels["c"] = "c" + std::to_string(below(3));
      world.node("n" + std::to_string(i), {.labels = labels});
    }
    TopologyTree tree = tree_of(world, {"a", "b", "c"});
    tree.check_invariants();
    IndexedVector<NodeId, int32_t> fit(nodes, 0);
    for (int32_t& count : fit) count = static_cast<int32_t>(below(5));
    DomainCounts counts(tree, fit);
    std::vector<SegmentLevel> layers = {{static_cast<int>(below(3)), 1 + below(6)}};
    if (layers[0].level < 2) layers.push_back({2, 1 + below(3)});
    DomainCounts whole(tree, counts, layers);
    for (int level = -1; level < 3; ++level) whole.level_bound(tree, level);
    for (int step = 0; step < 50; ++step) {
      NodeId node(below(nodes));
      int32_t fresh = static_cast<int32_t>(below(9));
      counts.change(tree, node, fresh - fit[node]);
      fit[node] = fresh;
      counts.check_invariants(tree, fit);
      whole.follow(tree, counts, layers, node);
      whole.check_invariants(tree, counts, layers);
    }
    EXPECT_EQ(by_path(world, tree, counts), by_path(world, tree, DomainCounts(tree, fit)));
  }
}

// Levels of few domains are scanned; those of more are tallied.
TEST(DomainCounts, FindsTheLeastCountOfALargeLevel) {
  std::mt19937 random(3);
  World world;
  constexpr uint32_t kRacks = 3'000;
  for (uint32_t i = 0; i < kRacks; ++i) {
    std::string number = std::to_string(i);
    world.node("n" + number,
               {.labels = {{"block", "b" + std::to_string(i / 300)}, {"rack", "r" + number}}});
  }
  TopologyTree tree = tree_of(world, {"block", "rack"});
  IndexedVector<NodeId, int32_t> fit(kRacks, 0);
  for (int32_t& count : fit) count = static_cast<int32_t>(random() % 1'500);
  DomainCounts counts(tree, fit);
  for (int step = 0; step < 2'000; ++step) {
    int64_t needed = static_cast<int64_t>(random() % 1'600) - 20;
    for (int level : {0, 1}) {
      int64_t least = INT64_MAX;
      for (int64_t count : counts.counts(tree.level(level))) {
        if (count >= needed) least = std::min(least, count);
      }
      ASSERT_EQ(counts.least_at_least(tree, level, needed), least) << "step " << step;
      std::span<const int64_t> all = counts.counts(tree.level(level));
      auto first = std::ranges::find(all, least);
      DomainId found = counts.first_equal(tree, level, least);
      ASSERT_EQ(found.valid(), first != all.end()) << "step " << step;
      if (found.valid()) {
        ASSERT_EQ(found.value - tree.level(level).first, first - all.begin());
      }
    }
    NodeId node(static_cast<uint32_t>(random() % kRacks));
    int32_t fresh = static_cast<int32_t>(random() % (step < 1'000 ? 1'500 : 40));
    counts.change(tree, node, fresh - fit[node]);
    fit[node] = fresh;
  }
  counts.check_invariants(tree, fit);
}

TEST(DomainCounts, ANodeOutsideTheTreeChangesNothing) {
  World world;
  world.node("in", {.labels = {{"rack", "r"}}});
  TopologyTree tree = tree_of(world, {"rack"});
  IndexedVector<NodeId, int32_t> fit(1, 3);
  DomainCounts counts(tree, fit);
  counts.change(tree, NodeId(7U), 5);
  EXPECT_EQ(counts[tree.root()], 3);
}

}  // namespace
}  // namespace trellis::domain_counts_test
