#include "plugins/topology/topology_plugin.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "tests/support/hall.h"
#include "tests/support/world.h"
#include "tests/topology/kai_tree.h"

namespace trellis::topology_plugin_test {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

// How many pods of a gang went to each value of a label.
std::map<std::string, int> by_label(const World& world, std::string_view gang,
                                    const std::string& key) {
  std::map<std::string, int> counts;
  const StringTable& strings = world.cluster.vocabulary().strings;
  for (PodId pod : world.cluster.pods_of(world.gang_id(gang))) {
    NodeId node = world.record().pods[pod].node;
    if (!node.valid()) continue;
    StrId value = find_label(world.cluster.nodes()[node].labels, strings.find(key));
    ++counts[value.valid() ? std::string(strings.view(value)) : "-"];
  }
  return counts;
}

// Racks "b1r1" of nodes with one CPU each.
void add_racks(World& world, const std::map<std::string, int>& racks,
               const std::string& node_label = "") {
  for (const auto& [rack, nodes] : racks) {
    for (int i = 0; i < nodes; ++i) {
      std::string name = rack + "-" + std::to_string(i);
      LabelMap labels = {{"block", rack.substr(0, 2)}, {"rack", rack}};
      if (!node_label.empty()) labels[node_label] = name;
      world.node(name, {.cpu = 1, .labels = labels});
    }
  }
}

TEST(TopologyPlugin, KaisGangPrefersARackInsideAZone) {
  World world;
  add_kai_tree(world);
  world.gang("g", {.count = 2,
                   .pod = {.gpu = 4},
                   .topology = "network",
                   .required = "zone",
                   .preferred = "rack"});
  world.cycle();
  EXPECT_THAT(by_label(world, "g", "rack"), ElementsAre(Pair("B1", 2)));
  World single;
  add_kai_tree(single);
  single.gang("g", {.count = 1, .pod = {.gpu = 4}, .topology = "network", .preferred = "rack"});
  single.cycle();
  // A2 and C1 both hold one and have nothing left: the first by path.
  EXPECT_THAT(by_label(single, "g", "rack"), ElementsAre(Pair("A2", 1)));
  World wide;
  add_kai_tree(wide);
  wide.gang("g", {.count = 4, .pod = {.gpu = 4}, .topology = "network", .preferred = "rack"});
  wide.cycle();
  EXPECT_THAT(by_label(wide, "g", "rack"),
              UnorderedElementsAre(Pair("A2", 1), Pair("B1", 2), Pair("C1", 1)));
  World zone;
  add_kai_tree(zone);
  zone.gang("g", {.count = 3, .pod = {.gpu = 4}, .topology = "network", .required = "zone"});
  zone.cycle();
  EXPECT_EQ(zone.code_of("g"), ReasonCode::TopologyNoFit);
}

TEST(TopologyPlugin, RequiredIsNeverCrossed) {
  World world;
  world.topology("t", {"block", "rack"});
  add_racks(world, {{"b1r1", 2}, {"b1r2", 2}, {"b2r1", 3}});
  world.gang("g", {.count = 4, .topology = "t", .required = "rack"});
  world.gang("h", {.count = 4, .topology = "t", .required = "block", .created = 1});
  world.cycle();
  EXPECT_EQ(world.code_of("g"), ReasonCode::TopologyNoFit);
  EXPECT_THAT(by_label(world, "h", "block"), ElementsAre(Pair("b1", 4)));
}

TEST(TopologyPlugin, PreferredClimbsAndUsesFewRacksThatAreNear) {
  World world;
  world.topology("t", {"block", "rack"});
  add_racks(world, {{"b1r1", 2}, {"b1r2", 2}, {"b1r3", 1}, {"b2r1", 3}});
  world.gang("g", {.count = 4, .topology = "t", .preferred = "rack"});
  world.cycle();
  // No rack holds four. Of the blocks only b1 does, in two racks.
  EXPECT_THAT(by_label(world, "g", "rack"), ElementsAre(Pair("b1r1", 2), Pair("b1r2", 2)));
  World far;
  far.topology("t", {"block", "rack"});
  add_racks(far, {{"b1r1", 1}, {"b1r2", 1}, {"b2r1", 4}, {"b2r2", 1}, {"b3r1", 2}});
  far.gang("g", {.count = 7, .topology = "t", .preferred = "rack"});
  far.cycle();
  // Not in one block: the largest rack first, then near it, then the tightest.
  EXPECT_THAT(by_label(far, "g", "rack"),
              ElementsAre(Pair("b2r1", 4), Pair("b2r2", 1), Pair("b3r1", 2)));
}

TEST(TopologyPlugin, ADivisionGoesDownLevelByLevel) {
  World world;
  world.topology("t", {"block", "rack", "node"});
  add_racks(world, {{"b1r1", 3}, {"b1r2", 3}, {"b1r3", 3}, {"b2r1", 1}}, "node");
  // Only a block is asked for; inside it racks are filled one after the other all the same.
  world.gang("g", {.count = 6, .topology = "t", .required = "block"});
  world.cycle();
  EXPECT_THAT(by_label(world, "g", "rack"), ElementsAre(Pair("b1r1", 3), Pair("b1r2", 3)));
}

TEST(TopologyPlugin, BinpackAndSpreadOverDomains) {
  for (Strategy strategy : {Strategy::Binpack, Strategy::Spread}) {
    World world;
    world.config.placement_strategy.domain = strategy;
    world.topology("t", {"block", "rack"});
    add_racks(world, {{"b1r1", 4}, {"b1r2", 2}, {"b2r1", 3}});
    world.gang("g", {.count = 2, .topology = "t", .required = "rack"});
    world.cycle();
    std::string rack = strategy == Strategy::Binpack ? "b1r2" : "b1r1";
    EXPECT_THAT(by_label(world, "g", "rack"), ElementsAre(Pair(rack, 2)));
  }
}

TEST(TopologyPlugin, PinnedWhereItRuns) {
  World world;
  world.topology("t", {"block", "rack"});
  add_racks(world, {{"b1r1", 3}, {"b2r1", 1}});
  world.gang("g", {.min_member = 1, .topology = "t", .required = "block"});
  world.pod("g-0", "g", {.cpu = 0, .node = "b1r1-0"});
  world.pod("g-1", "g");
  world.cycle();
  EXPECT_THAT(by_label(world, "g", "block"), ElementsAre(Pair("b1", 2)));
}

TEST(TopologyPlugin, DrawnNearWhereItRuns) {
  World world;
  world.topology("t", {"block", "rack"});
  add_racks(world, {{"b1r1", 2}, {"b2r1", 1}, {"b2r2", 4}, {"b2r3", 5}});
  world.gang("g", {.min_member = 1, .topology = "t", .preferred = "rack"});
  world.pod("g-0", "g", {.node = "b2r1-0"});
  for (int i = 1; i < 3; ++i) world.pod("g-" + std::to_string(i), "g");
  world.cycle();
  // b1r1 would be tighter; b2r2 is nearer.
  EXPECT_THAT(by_label(world, "g", "rack"), ElementsAre(Pair("b2r1", 1), Pair("b2r2", 2)));
}

TEST(TopologyPlugin, NowBeforeLaterOnALevel) {
  World world;
  world.topology("t", {"block", "rack"});
  add_racks(world, {{"b1r1", 2}, {"b1r2", 3}});
  world.gang("old", {.min_member = 1});
  world.pod("old-0", "old", {.node = "b1r1-0", .status = PodStatus::Releasing});
  world.gang("g", {.count = 2, .topology = "t", .required = "rack"});
  world.cycle();
  EXPECT_THAT(by_label(world, "g", "rack"), ElementsAre(Pair("b1r2", 2)));
  EXPECT_EQ(world.status_of("g-0"), PodStatus::Bound);
  World later;
  later.topology("t", {"block", "rack"});
  add_racks(later, {{"b1r1", 2}, {"b1r2", 1}});
  later.gang("old", {.min_member = 1});
  later.pod("old-0", "old", {.node = "b1r1-0", .status = PodStatus::Releasing});
  later.gang("g", {.count = 2, .topology = "t", .preferred = "rack"});
  later.cycle();
  // The rack is worth waiting for, though the block could be had now.
  EXPECT_THAT(by_label(later, "g", "rack"), ElementsAre(Pair("b1r1", 2)));
  EXPECT_EQ(later.status_of("g-0"), PodStatus::Pipelined);
}

TEST(TopologyPlugin, NodesWithoutLabels) {
  World world;
  world.topology("t", {"block", "rack"});
  world.node("bare", {.cpu = 8});
  world.node("half", {.cpu = 8, .labels = {{"block", "b1"}}});
  world.node("full", {.cpu = 1, .labels = {{"block", "b1"}, {"rack", "r1"}}});
  world.gang("rack", {.count = 2, .topology = "t", .required = "rack"});
  world.gang("block", {.count = 9, .topology = "t", .required = "block", .created = 1});
  world.gang("any", {.count = 8, .topology = "t", .preferred = "rack", .created = 2});
  world.cycle();
  EXPECT_EQ(world.code_of("rack"), ReasonCode::TopologyNoFit);
  EXPECT_THAT(by_label(world, "block", "block"), ElementsAre(Pair("b1", 9)));
  EXPECT_THAT(by_label(world, "any", "block"), ElementsAre(Pair("-", 8)));
}

TEST(TopologyPlugin, SeveralTopologies) {
  World world;
  world.topology("racks", {"block", "rack"});
  world.topology("colours", {"colour"});
  world.node("a", {.cpu = 2, .labels = {{"rack", "r"}, {"block", "b"}, {"colour", "red"}}});
  world.node("b", {.cpu = 2, .labels = {{"rack", "s"}, {"block", "b"}, {"colour", "red"}}});
  world.gang("g", {.count = 3, .topology = "colours", .required = "colour"});
  world.gang("h", {.count = 2, .topology = "racks", .required = "rack", .created = 1});
  world.cycle();
  EXPECT_EQ(world.gang_outcome("g").status, GangStatus::Scheduled);
  EXPECT_EQ(world.code_of("h"), ReasonCode::TopologyNoFit);
}

TEST(TopologyPlugin, ATopologyWithoutLevelsAsked) {
  World world;
  world.topology("t", {"rack"});
  world.node("a", {.cpu = 1, .labels = {{"rack", "r"}}});
  world.node("b", {.cpu = 1, .labels = {{"rack", "s"}}});
  world.gang("g", {.count = 2, .topology = "t"});
  world.gang("h", {.count = 1, .topology = "t", .created = 1});
  world.cycle();
  EXPECT_EQ(world.gang_outcome("g").status, GangStatus::Scheduled);
  EXPECT_NE(world.code_of("h"), ReasonCode::None);
}

TEST(TopologyPlugin, TheGroupDecidesBeforeTheScores) {
  World world;
  world.topology("t", {"block", "rack"});
  world.node("a", {.cpu = 2, .labels = {{"block", "b"}, {"rack", "a"}}});
  world.node("b", {.cpu = 4, .labels = {{"block", "b"}, {"rack", "b"}, {"disk", "ssd"}}});
  world.gang("g", {.count = 2,
                   .pod = {.preferred = {{100, {.labels = {{"disk", SelectorOp::Exists, {}}}}}}},
                   .topology = "t",
                   .preferred = "rack"});
  world.cycle();
  EXPECT_THAT(by_label(world, "g", "rack"), ElementsAre(Pair("a", 2)));
}

TEST(TopologyPlugin, AHallOfRacks) {
  World world;
  Hall hall = make_hall(world.cluster, 1000);
  EXPECT_EQ(hall.nodes, 1008);
  world.gang("rack", {.count = 18, .pod = {.gpu = 4}, .topology = "hall", .required = "rack"});
  world.gang("more", {.count = 19, .pod = {.gpu = 4}, .topology = "hall", .required = "rack"});
  world.gang("block", {.count = 100, .pod = {.gpu = 4}, .topology = "hall", .preferred = "block"});
  world.cycle();
  EXPECT_EQ(world.gang_outcome("rack").placement->level, Hall::kRack);
  EXPECT_EQ(world.code_of("more"), ReasonCode::TopologyNoFit);
  EXPECT_EQ(world.gang_outcome("more").reasons[0].found, 18);
  EXPECT_EQ(world.gang_outcome("block").placement->level, Hall::kBlock);
  EXPECT_EQ(by_label(world, "block", Hall::kRack).size(), 6u);  // 100 nodes of 18 a rack
}

}  // namespace
}  // namespace trellis::topology_plugin_test
