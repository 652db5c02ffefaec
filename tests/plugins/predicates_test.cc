#include "plugins/predicates/predicates.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/world.h"

namespace trellis::predicates_test {
namespace {

constexpr ReasonCode kFits = ReasonCode::None;

// What becomes of one pod on a cluster of one node.
ReasonCode verdict(const NodeArgs& node, const PodArgs& pod, const std::string& name = "n") {
  World world;
  world.node(name, node);
  world.gang("g", {.count = 1, .pod = pod});
  world.cycle();
  if (world.status_of("g-0") == PodStatus::Bound) return kFits;
  return world.gang_outcome("g").reasons.at(0).verdicts.at(0).code;
}

TEST(Predicates, Condition) {
  EXPECT_EQ(verdict({.ready = false}, {}), ReasonCode::NodeNotReady);
  EXPECT_EQ(verdict({.ready = false}, {.tolerations = {{}}}), ReasonCode::NodeNotReady);
  EXPECT_EQ(verdict({}, {}), kFits);
}

TEST(Predicates, Unschedulable) {
  NodeArgs cordoned{.unschedulable = true};
  EXPECT_EQ(verdict(cordoned, {}), ReasonCode::NodeUnschedulable);
  EXPECT_EQ(verdict(cordoned, {.tolerations = {{.key = "node.kubernetes.io/unschedulable"}}}),
            kFits);
  EXPECT_EQ(verdict(cordoned, {.tolerations = {{.key = ""}}}), kFits);
  EXPECT_EQ(verdict(cordoned, {.tolerations = {{.key = "team"}}}), ReasonCode::NodeUnschedulable);
  EXPECT_EQ(verdict(cordoned, {.tolerations = {{.key = "node.kubernetes.io/unschedulable",
                                                .any_effect = false,
                                                .effect = TaintEffect::NoExecute}}}),
            ReasonCode::NodeUnschedulable);
  // The taint that comes with a cordon needs the same toleration, once.
  NodeArgs tainted{.taints = {{"node.kubernetes.io/unschedulable"}}, .unschedulable = true};
  EXPECT_EQ(verdict(tainted, {.tolerations = {{.key = "node.kubernetes.io/unschedulable"}}}),
            kFits);
}

TEST(Predicates, Taints) {
  NodeArgs node{.taints = {{"team", "red"}}};
  auto with = [](const TolerationArgs& toleration) { return PodArgs{.tolerations = {toleration}}; };
  using Op = Toleration::Op;
  EXPECT_EQ(verdict(node, {}), ReasonCode::UntoleratedTaint);
  EXPECT_EQ(verdict(node, with({.key = "team"})), kFits);
  EXPECT_EQ(verdict(node, with({.key = "team", .op = Op::Equal, .value = "red"})), kFits);
  EXPECT_EQ(verdict(node, with({.key = "team", .op = Op::Equal, .value = "blue"})),
            ReasonCode::UntoleratedTaint);
  EXPECT_EQ(verdict({.taints = {{"team", "red", TaintEffect::PreferNoSchedule}}}, {}), kFits);
  EXPECT_EQ(verdict({.taints = {{"team", "red", TaintEffect::NoExecute}}}, {}),
            ReasonCode::UntoleratedTaint);
  EXPECT_EQ(verdict({.taints = {{"a"}, {"b"}}}, with({.key = "a"})), ReasonCode::UntoleratedTaint);
}

TEST(Predicates, DeclaredFeatures) {
  NodeFeatures restarts;
  restarts.add(NodeFeature::RestartAllContainers);
  NodeFeatures both = restarts;
  both.add(NodeFeature::UserNamespacesHostNetwork);
  EXPECT_EQ(verdict({}, {}), kFits);
  EXPECT_EQ(verdict({.features = restarts}, {}), kFits);
  EXPECT_EQ(verdict({.features = restarts}, {.features = restarts}), kFits);
  EXPECT_EQ(verdict({.features = both}, {.features = restarts}), kFits);
  EXPECT_EQ(verdict({}, {.features = restarts}), ReasonCode::NodeFeatureMissing);
  EXPECT_EQ(verdict({.features = restarts}, {.features = both}), ReasonCode::NodeFeatureMissing);
}

// Nodes that differ in a feature are of one class until a pod needs it.
TEST(Predicates, APodThatNeedsAFeatureComesLater) {
  NodeFeatures restarts;
  restarts.add(NodeFeature::RestartAllContainers);
  World world;
  world.node("a");
  world.node("b", {.features = restarts});
  world.gang("first", {.count = 1});
  world.cycle();
  EXPECT_EQ(world.scheduler().session().snapshot().node_classes().classes().size(), 1U);
  world.gang("second", {.count = 1, .pod = {.features = restarts}});
  world.cycle();
  EXPECT_EQ(world.node_of("second-0"), "b");
}

TEST(Predicates, NodeSelector) {
  NodeArgs node{.labels = {{"zone", "a"}, {"empty", ""}}};
  EXPECT_EQ(verdict(node, {.selector = {{"zone", "a"}}}), kFits);
  EXPECT_EQ(verdict(node, {.selector = {{"empty", ""}}}), kFits);
  EXPECT_EQ(verdict(node, {.selector = {{"zone", "b"}}}), ReasonCode::NodeSelectorMismatch);
  EXPECT_EQ(verdict(node, {.selector = {{"rack", ""}}}), ReasonCode::NodeSelectorMismatch);
  EXPECT_EQ(verdict(node, {.selector = {{"zone", "a"}, {"rack", "r"}}}),
            ReasonCode::NodeSelectorMismatch);
}

TEST(Predicates, EveryOperator) {
  NodeArgs node{.labels = {{"zone", "a"}, {"size", "5"}}};
  auto with = [](const std::string& key, SelectorOp op, std::vector<std::string> values) {
    return PodArgs{.affinity = {{.labels = {{key, op, std::move(values)}}}}};
  };
  EXPECT_EQ(verdict(node, with("zone", SelectorOp::In, {"b", "a"})), kFits);
  EXPECT_EQ(verdict(node, with("zone", SelectorOp::In, {"b"})), ReasonCode::NodeAffinityMismatch);
  EXPECT_EQ(verdict(node, with("zone", SelectorOp::NotIn, {"b"})), kFits);
  EXPECT_EQ(verdict(node, with("rack", SelectorOp::NotIn, {"b"})), kFits);
  EXPECT_EQ(verdict(node, with("zone", SelectorOp::NotIn, {"a"})),
            ReasonCode::NodeAffinityMismatch);
  EXPECT_EQ(verdict(node, with("zone", SelectorOp::Exists, {})), kFits);
  EXPECT_EQ(verdict(node, with("rack", SelectorOp::Exists, {})), ReasonCode::NodeAffinityMismatch);
  EXPECT_EQ(verdict(node, with("rack", SelectorOp::DoesNotExist, {})), kFits);
  EXPECT_EQ(verdict(node, with("zone", SelectorOp::DoesNotExist, {})),
            ReasonCode::NodeAffinityMismatch);
  EXPECT_EQ(verdict(node, with("size", SelectorOp::Gt, {"4"})), kFits);
  EXPECT_EQ(verdict(node, with("size", SelectorOp::Gt, {"5"})), ReasonCode::NodeAffinityMismatch);
  EXPECT_EQ(verdict(node, with("size", SelectorOp::Lt, {"10"})), kFits);
  EXPECT_EQ(verdict(node, with("zone", SelectorOp::Lt, {"10"})), ReasonCode::NodeAffinityMismatch);
}

TEST(Predicates, TermsAreAlternatives) {
  NodeArgs node{.labels = {{"zone", "a"}}};
  TermArgs right{.labels = {{"zone", SelectorOp::In, {"a"}}}};
  TermArgs wrong{.labels = {{"zone", SelectorOp::In, {"b"}}}};
  TermArgs both{.labels = {{"zone", SelectorOp::In, {"a"}}, {"zone", SelectorOp::In, {"b"}}}};
  TermArgs empty;
  EXPECT_EQ(verdict(node, {.affinity = {wrong, right}}), kFits);
  EXPECT_EQ(verdict(node, {.affinity = {wrong, both}}), ReasonCode::NodeAffinityMismatch);
  EXPECT_EQ(verdict(node, {.affinity = {empty}}), ReasonCode::NodeAffinityMismatch);
  EXPECT_EQ(verdict(node, {.affinity = {empty, right}}), kFits);
  EXPECT_EQ(verdict(node, {.has_affinity = true}), ReasonCode::NodeAffinityMismatch);
}

TEST(Predicates, MatchFields) {
  auto field = [](SelectorOp op, std::vector<std::string> names) {
    return TermArgs{.fields = {{"metadata.name", op, std::move(names)}}};
  };
  EXPECT_EQ(verdict({}, {.affinity = {field(SelectorOp::In, {"n"})}}), kFits);
  EXPECT_EQ(verdict({}, {.affinity = {field(SelectorOp::In, {"m"})}}),
            ReasonCode::NodeAffinityMismatch);
  EXPECT_EQ(verdict({}, {.affinity = {field(SelectorOp::NotIn, {"m"})}}), kFits);
  EXPECT_EQ(verdict({}, {.affinity = {field(SelectorOp::NotIn, {"n"})}}),
            ReasonCode::NodeAffinityMismatch);
  // Fields and labels of one term must both hold; other terms stand beside it.
  TermArgs both = field(SelectorOp::In, {"n"});
  both.labels = {{"zone", SelectorOp::In, {"a"}}};
  EXPECT_EQ(verdict({.labels = {{"zone", "a"}}}, {.affinity = {both}}), kFits);
  EXPECT_EQ(verdict({}, {.affinity = {both}}), ReasonCode::NodeAffinityMismatch);
  TermArgs labels_only{.labels = {{"zone", SelectorOp::In, {"b"}}}};
  EXPECT_EQ(verdict({.labels = {{"zone", "b"}}}, {.affinity = {both, labels_only}}), kFits);
}

// As a daemon set writes it: one pod, pinned to its node, among many.
TEST(Predicates, MatchFieldsPicksOneNodeOfMany) {
  World world;
  for (int i = 0; i < 20; ++i) world.node("n" + std::to_string(i));
  world.gang("g",
             {.count = 1,
              .pod = {.affinity = {{.fields = {{"metadata.name", SelectorOp::In, {"n13"}}}}}}});
  world.cycle();
  EXPECT_EQ(world.node_of("g-0"), "n13");
}

TEST(Predicates, HostPorts) {
  auto fits_beside = [](const PortArgs& used, const PortArgs& wanted) {
    World world;
    world.node("n");
    world.gang("old", {.min_member = 1});
    world.pod("old-0", "old", {.ports = {used}, .node = "n"});
    world.gang("g", {.count = 1, .pod = {.ports = {wanted}}});
    world.cycle();
    bool placed = world.status_of("g-0") == PodStatus::Bound;
    if (!placed) {
      EXPECT_EQ(world.gang_outcome("g").reasons.at(0).verdicts.at(0).code,
                ReasonCode::HostPortConflict);
    }
    return placed;
  };
  EXPECT_FALSE(fits_beside({.port = 80}, {.port = 80}));
  EXPECT_TRUE(fits_beside({.port = 80}, {.port = 81}));
  EXPECT_TRUE(fits_beside({.port = 80}, {.port = 80, .protocol = "UDP"}));
  EXPECT_FALSE(fits_beside({.port = 80, .address = "10.0.0.1"}, {.port = 80}));
  EXPECT_FALSE(fits_beside({.port = 80}, {.port = 80, .address = "10.0.0.1"}));
  EXPECT_TRUE(
      fits_beside({.port = 80, .address = "10.0.0.2"}, {.port = 80, .address = "10.0.0.1"}));
  EXPECT_FALSE(
      fits_beside({.port = 80, .address = "10.0.0.1"}, {.port = 80, .address = "10.0.0.1"}));
}

TEST(Predicates, APortOnceANode) {
  World world;
  for (const char* name : {"a", "b", "c"}) world.node(name);
  world.gang("g", {.count = 3, .pod = {.ports = {{.port = 80}}}});
  world.gang("h", {.count = 1, .pod = {.ports = {{.port = 80}}}, .created = 1});
  world.cycle();
  EXPECT_NE(world.node_of("g-0"), world.node_of("g-1"));
  EXPECT_NE(world.node_of("g-1"), world.node_of("g-2"));
  EXPECT_EQ(world.status_of("h-0"), PodStatus::Pending);
}

TEST(Predicates, PortsFollowTheCluster) {
  World world;
  world.node("n");
  world.gang("old", {.min_member = 1});
  world.pod("old-0", "old", {.ports = {{.port = 80}}, .node = "n"});
  world.gang("g", {.count = 1, .pod = {.ports = {{.port = 80}}}});
  world.cycle();
  EXPECT_EQ(world.status_of("g-0"), PodStatus::Pending);
  world.pod("old-0", "old", {.ports = {{.port = 81}}, .node = "n"});
  world.cycle();
  EXPECT_EQ(world.status_of("g-0"), PodStatus::Bound);
  world.pod("old-0", "old", {.ports = {{.port = 80}}, .node = "n"});
  world.cluster.remove_node("n");
  world.node("n");
  world.cycle();
  EXPECT_EQ(world.status_of("g-0"), PodStatus::Pending);
  world.cluster.remove_node("n");
  world.node("m");  // takes the same slot
  world.cycle();
  EXPECT_EQ(world.node_of("g-0"), "m");
  world.node("n");
  world.pod("old-0", "old", {.ports = {{.port = 80}}, .node = "n", .status = PodStatus::Succeeded});
  world.cluster.remove_node("m");
  world.cycle();
  EXPECT_EQ(world.node_of("g-0"), "n");
}

TEST(Predicates, OffMeansNotLookedAt) {
  World world;
  world.config.plugins["predicates"].enabled = false;
  world.node("n", {.taints = {{"team"}}, .ready = false});
  world.gang("g", {.count = 1, .pod = {.selector = {{"zone", "a"}}}});
  world.gang("big", {.count = 1, .pod = {.cpu = 1000}});
  world.cycle();
  EXPECT_EQ(world.status_of("g-0"), PodStatus::Bound);
  EXPECT_EQ(world.status_of("big-0"), PodStatus::Pending);  // resources are core
}

}  // namespace
}  // namespace trellis::predicates_test
