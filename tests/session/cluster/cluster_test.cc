#include "session/cluster/cluster.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/random.h"
#include "tests/support/world.h"

namespace trellis::cluster_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

TEST(Cluster, AddsReplacesAndRemovesByName) {
  World world;
  NodeId n1 = world.node("n1", {.cpu = 1});
  EXPECT_EQ(world.node("n1", {.cpu = 2}), n1);
  EXPECT_EQ(world.cluster.nodes()[n1].allocatable.get(kCpu), 2000);
  world.cluster.remove_node("n1");
  EXPECT_FALSE(world.node_id("n1").valid());
  EXPECT_FALSE(world.cluster.alive(n1));
  EXPECT_THAT(world.cluster.nodes_by_name(), IsEmpty());
  world.cluster.remove_node("n1");
  EXPECT_EQ(world.node("n2"), n1);  // the slot is taken again
  EXPECT_TRUE(world.cluster.alive(n1));
  world.cluster.check_invariants();
}

TEST(Cluster, PodsFollowTheirNode) {
  World world;
  world.gang("g", {.min_member = 1});
  PodId early = world.pod("early", "g", {.node = "n"});
  EXPECT_FALSE(world.cluster.pods()[early].node.valid());
  NodeId node = world.node("n");
  EXPECT_EQ(world.cluster.pods()[early].node, node);
  EXPECT_THAT(world.cluster.pods_of(node), ElementsAre(early));
  world.cluster.remove_node("n");
  EXPECT_FALSE(world.cluster.pods()[early].node.valid());
  world.node("other");
  EXPECT_FALSE(world.cluster.pods()[early].node.valid());
  NodeId again = world.node("n");
  EXPECT_EQ(world.cluster.pods()[early].node, again);
  world.cluster.check_invariants();
}

TEST(Cluster, AHomelessPodMayMoveOrGo) {
  World world;
  world.gang("g", {.min_member = 1});
  world.node("b");
  world.pod("moves", "g", {.node = "a"});
  world.pod("goes", "g", {.node = "a"});
  world.pod("frees", "g", {.node = "a"});
  world.pod("moves", "g", {.node = "b"});
  world.remove_pod("goes");
  world.cluster.set_pod(world.pod_id("frees"), PodStatus::Pending, NodeId(), kNoTime);
  NodeId a = world.node("a");
  EXPECT_THAT(world.cluster.pods_of(a), IsEmpty());
  EXPECT_THAT(world.cluster.pods_of(world.node_id("b")), ElementsAre(world.pod_id("moves")));
  world.cluster.check_invariants();
}

TEST(Cluster, PodsMoveBetweenGangs) {
  World world;
  world.gang("a", {.min_member = 1});
  world.gang("b", {.min_member = 1});
  PodId pod = world.pod("p", "a");
  EXPECT_EQ(world.pod("p", "b"), pod);
  EXPECT_THAT(world.cluster.pods_of(world.gang_id("a")), IsEmpty());
  EXPECT_THAT(world.cluster.pods_of(world.gang_id("b")), ElementsAre(pod));
  world.cluster.check_invariants();
}

TEST(Cluster, EqualNamesInTwoNamespaces) {
  World world;
  world.gang("g", {.min_member = 1});
  PodId here = world.pod("p", "g");
  Pod there = world.cluster.pods()[here].pod;
  there.name_space = world.str("other");
  there.gang = world.str("other/g");
  PodId id = world.cluster.upsert(there, make_pod_spec(world.cluster.vocabulary(), {}));
  EXPECT_NE(id, here);
  EXPECT_EQ(world.cluster.find_pod("other", "p"), id);
  EXPECT_EQ(world.cluster.find_pod("default", "p"), here);
  EXPECT_NE(world.cluster.find_gang("other", "g"), world.gang_id("g"));
  EXPECT_THAT(world.cluster.pods_by_name(), ElementsAre(here, id));
  world.cluster.remove_pod(world.str("other"), "p");
  EXPECT_EQ(world.cluster.find_pod("default", "p"), here);
  world.cluster.check_invariants();
}

TEST(Cluster, ARemovedGangIsKeptAsNotFound) {
  World world;
  GangId gang = world.gang("g", {.count = 1});
  world.cluster.remove_gang("default", "g");
  EXPECT_EQ(world.cluster.gangs()[gang].errors.at(0).code, ReasonCode::GangNotFound);
  EXPECT_EQ(world.gang("g", {.count = 1}), gang);
  EXPECT_THAT(world.cluster.gangs()[gang].errors, IsEmpty());
}

TEST(Cluster, SaysWhatChanged) {
  World world;
  world.node("n");
  world.node("m");
  world.gang("g", {.min_member = 1});
  world.pod("p", "g", {.node = "n"});
  world.topology("t", {"rack"});
  ClusterChanges changes = world.cluster.take_changes();
  EXPECT_TRUE(changes.node_set);
  EXPECT_TRUE(changes.topologies);
  EXPECT_TRUE(world.cluster.take_changes().empty());

  uint64_t generation = world.cluster.generation();
  world.node("n", {.cpu = 5});
  EXPECT_GT(world.cluster.generation(), generation);
  changes = world.cluster.take_changes();
  EXPECT_THAT(changes.nodes, ElementsAre(world.node_id("n")));
  EXPECT_FALSE(changes.node_set);  // its labels are what they were
  world.node("n", {.labels = {{"rack", "r"}}});
  EXPECT_TRUE(world.cluster.take_changes().node_set);

  world.pod("p", "g", {.node = "m"});
  changes = world.cluster.take_changes();
  EXPECT_THAT(std::set<NodeId>(changes.nodes.begin(), changes.nodes.end()),
              UnorderedElementsAre(world.node_id("n"), world.node_id("m")));
  EXPECT_FALSE(changes.gangs.empty());
  world.cluster.remove_node("m");
  EXPECT_TRUE(world.cluster.take_changes().node_set);
}

TEST(Cluster, NamesInOrder) {
  World world;
  for (const char* name : {"b", "c", "a"}) world.node(name);
  std::vector<std::string> names;
  for (NodeId id : world.cluster.nodes_by_name()) names.push_back(world.cluster.nodes()[id].name);
  EXPECT_THAT(names, ElementsAre("a", "b", "c"));
}

TEST(Cluster, KeepsItsInvariants) {
  Random random(5);
  World world;
  for (int step = 0; step < 20'000; ++step) {
    std::string node = "n" + std::to_string(random.below(6));
    std::string pod = "p" + std::to_string(random.below(20));
    switch (random.below(5)) {
      case 0:
        world.node(node);
        break;
      case 1:
        world.cluster.remove_node(node);
        break;
      case 2:
        world.remove_pod(pod);
        break;
      case 3:
        if (PodId id = world.pod_id(pod); id.valid()) {
          world.cluster.set_pod(id, PodStatus::Running, world.node_id(node), 0);
        }
        break;
      default:
        world.pod(pod, "g" + std::to_string(random.below(3)),
                  {.node = random.chance(70) ? node : ""});
    }
    if (step % 100 == 0) world.cluster.check_invariants();
  }
}

TEST(Cluster, BudgetsComeChangeAndGo) {
  Cluster cluster;
  StringTable& strings = cluster.vocabulary().strings;
  DisruptionBudget budget;
  budget.name_space = strings.intern("a");
  budget.name = "web";
  BudgetId id = cluster.upsert(budget);
  EXPECT_TRUE(cluster.take_changes().budgets);
  EXPECT_FALSE(cluster.take_changes().budgets);
  EXPECT_EQ(cluster.find_budget("a", "web"), id);
  EXPECT_FALSE(cluster.find_budget("b", "web").valid());
  budget.min_available = PodQuantity{.pods = 2, .percent = {}};
  EXPECT_EQ(cluster.upsert(budget), id);
  EXPECT_EQ(cluster.budgets()[id], budget);
  uint64_t before = cluster.generation();
  cluster.remove_budget("b", "web");
  EXPECT_EQ(cluster.generation(), before);
  cluster.remove_budget("a", "web");
  EXPECT_GT(cluster.generation(), before);
  EXPECT_FALSE(cluster.alive(id));
  EXPECT_TRUE(cluster.take_changes().budgets);
}

}  // namespace
}  // namespace trellis::cluster_test
