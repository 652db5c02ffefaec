#include "topology/tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/world.h"
#include "tests/topology/kai_tree.h"

namespace trellis::tree_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class TreeTest : public ::testing::Test {
 protected:
  TopologyTree tree(std::vector<std::string> labels) {
    Topology topology = make_topology(world.cluster.vocabulary(), "t", labels);
    TopologyTree made(topology, world.cluster.nodes_by_name(), world.cluster.nodes(), strings());
    made.check_invariants();
    return made;
  }
  const StringTable& strings() { return world.cluster.vocabulary().strings; }

  std::string path(const TopologyTree& tree, DomainId domain) {
    std::string text;
    for (StrId value : tree.path(domain)) text += "/" + std::string(strings().view(value));
    return text;
  }
  std::vector<std::string> paths(const TopologyTree& tree, int level) {
    std::vector<std::string> all;
    IdRange range = tree.level(level);
    for (uint32_t id = range.first; id < range.last; ++id) all.push_back(path(tree, DomainId(id)));
    return all;
  }
  DomainId domain(const TopologyTree& tree, const std::string& wanted) {
    for (uint32_t id = 0; id < tree.domain_count(); ++id) {
      if (path(tree, DomainId(id)) == wanted) return DomainId(id);
    }
    return DomainId();
  }
  std::vector<std::string> names(std::span<const NodeId> nodes) {
    std::vector<std::string> all;
    for (NodeId node : nodes) all.push_back(world.cluster.nodes()[node].name);
    return all;
  }
  NodeId node(std::string_view name) { return world.node_id(name); }

  World world;
};

TEST_F(TreeTest, DistancesOfKaisDesign) {
  add_kai_tree(world);
  TopologyTree network = tree({"zone", "rack"});
  EXPECT_EQ(network.distance(node("NC1-1"), node("NC1-2")), 2);
  EXPECT_EQ(network.distance(node("NA1-1"), domain(network, "/B/B1")), 5);
  EXPECT_EQ(network.distance(node("NA1-1"), node("NA1-1")), 0);
  EXPECT_EQ(network.distance(node("NA1-1"), node("NA2-1")), 4);
  EXPECT_EQ(network.distance(node("NA1-1"), node("NB2-1")), 6);
  EXPECT_EQ(network.distance(domain(network, "/A/A1"), domain(network, "/A/A2")), 2);
  EXPECT_EQ(network.distance(domain(network, "/A/A1"), domain(network, "/A")), 1);
  EXPECT_EQ(network.distance(domain(network, "/A/A1"), network.root()), 2);
  EXPECT_EQ(network.distance(domain(network, "/A/A1"), domain(network, "/B")), 3);
}

TEST_F(TreeTest, OneNodeADomain) {
  for (const char* name : {"n1", "n2", "n3"}) {
    world.node(name, {.labels = {{"rack", name[1] == '3' ? "r2" : "r1"}, {"node", name}}});
  }
  TopologyTree single = tree({"rack", "node"});
  EXPECT_TRUE(single.deepest_is_node());
  EXPECT_EQ(single.distance(node("n1"), node("n2")), 2);
  EXPECT_EQ(single.distance(node("n1"), node("n3")), 4);
  EXPECT_EQ(single.distance(node("n1"), domain(single, "/r1")), 1);
  EXPECT_FALSE(tree({"rack"}).deepest_is_node());
}

TEST_F(TreeTest, SameRackNameInTwoBlocks) {
  world.node("node-1", {.labels = {{"block", "block-1"}, {"rack", "rack-1"}}});
  world.node("node-2", {.labels = {{"block", "block-1"}, {"rack", "rack-2"}}});
  world.node("node-3", {.labels = {{"block", "block-2"}, {"rack", "rack-1"}}});
  world.node("node-4", {.labels = {{"block", "block-2"}, {"rack", "rack-3"}}});
  TopologyTree blocks = tree({"block", "rack"});
  EXPECT_THAT(paths(blocks, 1), ElementsAre("/block-1/rack-1", "/block-1/rack-2", "/block-2/rack-1",
                                            "/block-2/rack-3"));
  EXPECT_THAT(paths(blocks, 0), ElementsAre("/block-1", "/block-2"));
  EXPECT_EQ(blocks.domain_count(), 7u);
  EXPECT_NE(blocks.domain_of(node("node-1")), blocks.domain_of(node("node-3")));
  EXPECT_THAT(names(blocks.nodes(domain(blocks, "/block-2"))), ElementsAre("node-3", "node-4"));
  // Alone, the rack label joins what the block keeps apart.
  EXPECT_EQ(tree({"rack"}).domain_count(), 4u);
}

TEST_F(TreeTest, NodesThatLackLabels) {
  world.node("full", {.labels = {{"block", "b"}, {"rack", "r"}}});
  world.node("no-rack", {.labels = {{"block", "b"}}});
  world.node("no-block", {.labels = {{"rack", "r"}}});
  world.node("bare");
  world.node("other-block", {.labels = {{"block", "c"}}});
  TopologyTree ragged = tree({"block", "rack"});
  EXPECT_EQ(path(ragged, ragged.domain_of(node("full"))), "/b/r");
  EXPECT_EQ(path(ragged, ragged.domain_of(node("no-rack"))), "/b");
  EXPECT_EQ(path(ragged, ragged.domain_of(node("other-block"))), "/c");
  EXPECT_EQ(ragged.domain_of(node("no-block")), ragged.root());
  EXPECT_EQ(ragged.domain_of(node("bare")), ragged.root());
  EXPECT_FALSE(ragged.incomplete(node("full")));
  for (const char* name : {"no-rack", "no-block", "bare", "other-block"}) {
    EXPECT_TRUE(ragged.contains(node(name))) << name;
    EXPECT_TRUE(ragged.incomplete(node(name))) << name;
  }
  EXPECT_THAT(names(ragged.nodes(domain(ragged, "/b"))), ElementsAre("full", "no-rack"));
  EXPECT_THAT(names(ragged.own_nodes(domain(ragged, "/b"))), ElementsAre("no-rack"));
  EXPECT_THAT(names(ragged.own_nodes(domain(ragged, "/b/r"))), ElementsAre("full"));
  EXPECT_THAT(names(ragged.own_nodes(domain(ragged, "/c"))), ElementsAre("other-block"));
  EXPECT_THAT(names(ragged.own_nodes(ragged.root())), ElementsAre("bare", "no-block"));
  EXPECT_EQ(ragged.nodes(ragged.root()).size(), 5u);
}

TEST_F(TreeTest, OrderIsByTextNotByFirstAppearance) {
  world.node("z", {.labels = {{"block", "b10"}, {"rack", "r1"}}});
  world.node("y", {.labels = {{"block", "b1"}, {"rack", "z"}}});
  world.node("x", {.labels = {{"block", "b1"}, {"rack", "a"}}});
  world.node("w", {.labels = {{"block", "b1"}, {"rack", "a"}}});
  TopologyTree sorted = tree({"block", "rack"});
  EXPECT_THAT(paths(sorted, 1), ElementsAre("/b1/a", "/b1/z", "/b10/r1"));
  EXPECT_THAT(names(sorted.node_order()), ElementsAre("w", "x", "y", "z"));
}

TEST_F(TreeTest, AncestorsAndDescendants) {
  add_kai_tree(world);
  TopologyTree network = tree({"zone", "rack"});
  DomainId a2 = domain(network, "/A/A2");
  EXPECT_EQ(network.ancestor(a2, 1), a2);
  EXPECT_EQ(path(network, network.ancestor(a2, 0)), "/A");
  EXPECT_EQ(network.ancestor(a2, -1), network.root());
  EXPECT_FALSE(network.ancestor(domain(network, "/A"), 1).valid());
  EXPECT_EQ(network.descendants(domain(network, "/A"), 1).size(), 3u);
  EXPECT_EQ(network.descendants(network.root(), 1).size(), 6u);
  EXPECT_EQ(network.descendants(network.root(), 0).size(), 3u);
  EXPECT_EQ(network.descendants(a2, 1).size(), 1u);
  EXPECT_EQ(network.descendants(a2, 0).size(), 0u);
  EXPECT_EQ(network.descendants(network.root(), -1).first, network.root().value);
  EXPECT_EQ(network.children(domain(network, "/B")).size(), 2u);
  EXPECT_EQ(network.children(a2).size(), 0u);
}

TEST_F(TreeTest, NoNodesAndNoLevels) {
  TopologyTree empty = tree({"zone", "rack"});
  EXPECT_EQ(empty.domain_count(), 1u);
  EXPECT_THAT(empty.node_order(), IsEmpty());
  EXPECT_EQ(empty.level(0).size(), 0u);
  EXPECT_EQ(empty.descendants(empty.root(), 1).size(), 0u);
  EXPECT_FALSE(empty.deepest_is_node());

  world.node("b");
  world.node("a");
  TopologyTree flat = tree({});
  EXPECT_EQ(flat.domain_count(), 1u);
  EXPECT_THAT(names(flat.node_order()), ElementsAre("a", "b"));
  EXPECT_THAT(names(flat.own_nodes(flat.root())), ElementsAre("a", "b"));
  EXPECT_EQ(flat.distance(node("a"), node("b")), 2);
}

TEST_F(TreeTest, NoNodeHasADeeperLabel) {
  world.node("a", {.labels = {{"zone", "z"}}});
  TopologyTree shallow = tree({"zone", "rack", "node"});
  EXPECT_EQ(path(shallow, shallow.domain_of(node("a"))), "/z");
  EXPECT_EQ(shallow.level(2).size(), 0u);
  EXPECT_FALSE(shallow.deepest_is_node());
}

TEST_F(TreeTest, MovesOnlyWithItsLevels) {
  world.node("n", {.labels = {{"block", "b"}, {"rack", "r"}, {"colour", "red"}}});
  TopologyTree blocks = tree({"block", "rack"});
  auto moves = [&](const LabelMap& labels) {
    return blocks.moves(node("n"), make_node(world.cluster.vocabulary(), "n", {.labels = labels}));
  };
  EXPECT_FALSE(moves({{"block", "b"}, {"rack", "r"}, {"colour", "blue"}}));
  EXPECT_TRUE(moves({{"block", "b"}, {"rack", "s"}}));
  EXPECT_TRUE(moves({{"block", "c"}, {"rack", "r"}}));
  EXPECT_TRUE(moves({{"block", "b"}}));
  EXPECT_TRUE(moves({{"rack", "r"}}));
}

}  // namespace
}  // namespace trellis::tree_test
