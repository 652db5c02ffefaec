#include "session/snapshot/node_classes.h"

#include <gtest/gtest.h>

#include "tests/support/world.h"

namespace trellis::node_classes_test {
namespace {

class NodeClassesTest : public ::testing::Test {
 protected:
  void node(const char* name, const NodeArgs& args) {
    NodeId id = world.node(name, args);
    classes.classify(id, world.cluster.nodes()[id]);
  }
  bool read() {
    return classes.read_pod_classes(world.cluster.pod_classes(), world.cluster.nodes());
  }
  NodeClassId of(const char* name) { return classes.of_node()[world.node_id(name)]; }

  World world;
  NodeClasses classes;
};

TEST_F(NodeClassesTest, OnlyWhatIsReadDistinguishesNodes) {
  node("a", {.cpu = 1, .labels = {{"zone", "x"}}});
  node("b", {.cpu = 2, .labels = {{"zone", "y"}}});
  node("tainted", {.taints = {{"team"}}});
  node("cordoned", {.unschedulable = true});
  node("broken", {.ready = false});
  EXPECT_EQ(of("a"), of("b"));
  EXPECT_NE(of("a"), of("tainted"));
  EXPECT_NE(of("a"), of("cordoned"));
  EXPECT_NE(of("a"), of("broken"));
  EXPECT_FALSE(read());

  world.gang("g", {.min_member = 1});
  world.pod("plain", "g");
  EXPECT_FALSE(read());
  world.pod("picky", "g", {.selector = {{"zone", "x"}}});
  EXPECT_TRUE(read());
  EXPECT_NE(of("a"), of("b"));
  EXPECT_FALSE(read());
  world.pod("same-key", "g", {.selector = {{"zone", "y"}}});
  EXPECT_FALSE(read());
  node("c", {.labels = {{"zone", "x"}, {"colour", "red"}}});
  EXPECT_EQ(of("c"), of("a"));
  for (PodArgs pod :
       {PodArgs{.affinity = {{.labels = {{"colour", SelectorOp::Exists, {}}}}}},
        PodArgs{.preferred = {{1, {.labels = {{"shape", SelectorOp::Exists, {}}}}}}}}) {
    world.pod("more", "g", pod);
    EXPECT_TRUE(read());
  }
  EXPECT_NE(of("c"), of("a"));
}

// Each node has a name of its own; asking whether it has one makes no class of each.
TEST_F(NodeClassesTest, PresenceAloneDistinguishesNoValues) {
  node("a", {.labels = {{"name", "a"}}});
  node("b", {.labels = {{"name", "b"}}});
  node("none", {});
  world.gang("g", {.min_member = 1});
  world.pod("any", "g", {.affinity = {{.labels = {{"name", SelectorOp::Exists, {}}}}}});
  EXPECT_TRUE(read());
  EXPECT_EQ(of("a"), of("b"));
  EXPECT_NE(of("a"), of("none"));
  world.pod("one", "g", {.selector = {{"name", "a"}}});
  EXPECT_TRUE(read());
  EXPECT_NE(of("a"), of("b"));
}

}  // namespace
}  // namespace trellis::node_classes_test
