// podaffinity and topologyspread by single examples; tests/oracle/pod_terms_test.cc has the rules.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "session/cycle/gang_step.h"
#include "session/placement/near_miss.h"
#include "tests/oracle/pod_terms_model.h"
#include "tests/oracle/pod_terms_world.h"
#include "tests/support/world.h"

namespace trellis::pod_terms_plugin_test {
namespace {

using oracle::ModelNode;
using oracle::ModelPod;
using oracle::ModelSpread;
using oracle::ModelTerm;

class PodTermsPlugins : public ::testing::Test {
 protected:
  void node(const std::string& name, const std::string& rack, int cpu) {
    ModelNode made;
    made.name = name;
    made.labels = {{"rack", rack}, {"kubernetes.io/hostname", name}};
    made.cpu = cpu;
    oracle::put_node(world.cluster, made);
  }
  static ModelPod pod(const std::string& app) {
    ModelPod made;
    made.name_space = "x";
    made.labels = {{"app", app}};
    return made;
  }
  static ModelTerm term(const std::string& app, const std::string& key) {
    ModelTerm made;
    made.pods.labels = {{"app", SelectorOp::In, {app}}};
    made.key = key;
    return made;
  }
  PodId put(ModelPod pod, const std::string& name, const std::string& gang) {
    pod.name = name;
    return oracle::put_pod(world.cluster, pod, gang);
  }
  GangId gang(const std::string& name, const ModelPod& pod, int count) {
    Gang made;
    made.name_space = world.str("x");
    made.name = name;
    made.min_member = count;
    GangId id = world.cluster.upsert(made);
    for (int i = 0; i < count; ++i) put(pod, name + "-" + std::to_string(i), name);
    return id;
  }
  GangStep place(GangId id) {
    session = &world.scheduler().open(0);
    GangSearch search(*session);
    return GangProgress(id).next(*session, search);
  }
  std::string node_of(const std::string& pod) {
    NodeId node = session->snapshot().pod(world.cluster.find_pod("x", pod)).node;
    return node.valid() ? world.cluster.nodes()[node].name : "";
  }

  World world;
  Session* session = nullptr;
};

TEST_F(PodTermsPlugins, MorePodsThanRacksIsProvedNotToFit) {
  for (int i = 0; i < 60; ++i) {
    std::string rack = "r" + std::to_string(i / 2);
    node("n" + std::to_string(100 + i), rack, 8 + i % 5);
  }
  ModelPod apart = pod("a");
  apart.anti_affinity = {term("a", "rack")};
  GangStep step = place(gang("g", apart, 31));
  EXPECT_EQ(step.result, GangStep::Result::Waits);
  EXPECT_EQ(step.code, ReasonCode::NodesNoFit);
  EXPECT_EQ(place(gang("h", apart, 30)).result, GangStep::Result::Placed);
}

TEST_F(PodTermsPlugins, NoRackWithRoomForAllIsProvedNotToFit) {
  for (int i = 0; i < 60; ++i) node("n" + std::to_string(100 + i), "r" + std::to_string(i / 3), 3);
  ModelPod together = pod("a");
  together.affinity = {term("a", "rack")};
  GangId id = gang("g", together, 10);
  GangStep step = place(id);
  EXPECT_EQ(step.code, ReasonCode::NodesNoFit);
  EXPECT_EQ(no_fit_reason(*session, id, 10, step.code).found, 9);
  EXPECT_EQ(session->statement().decision_count(), 0U);
  node("big", "r7", 1);
  EXPECT_EQ(place(id).result, GangStep::Result::Placed);
}

TEST_F(PodTermsPlugins, AFullDomainThatHoldsBackTheOthersIsProvedNotToFit) {
  for (int i = 0; i < 60; ++i) {
    std::string rack = "r" + std::to_string(i / 20);
    node("n" + std::to_string(100 + i), rack, i < 40 ? 8 + i : 1);
  }
  ModelPod spread = pod("a");
  ModelSpread constraint;
  constraint.pods.labels = {{"app", SelectorOp::In, {"a"}}};
  constraint.key = "rack";
  spread.spread = {constraint};
  GangId id = gang("g", spread, 63);
  GangStep step = place(id);
  EXPECT_EQ(step.code, ReasonCode::NodesNoFit);
  EXPECT_EQ(no_fit_reason(*session, id, 63, step.code).found, 62);
  EXPECT_EQ(place(gang("h", spread, 62)).result, GangStep::Result::Placed);
}

TEST_F(PodTermsPlugins, ARowThatNeedsTheCompanyOfAnotherComesAfterIt) {
  node("n1", "r1", 4);
  node("n2", "r2", 4);
  ModelPod server = pod("server");
  ModelPod client = pod("client");
  client.affinity = {term("server", "rack")};
  GangId id = gang("g", client, 2);
  Gang record = world.cluster.gangs()[id];
  record.min_member = 3;
  world.cluster.upsert(record);
  put(server, "z", "g");
  EXPECT_EQ(place(id).result, GangStep::Result::Placed);
  EXPECT_EQ(node_of("g-0"), node_of("z"));
}

TEST_F(PodTermsPlugins, APromiseRepelsAtOnceAndKeepsCompanyOnlyInFuture) {
  node("n1", "r1", 1);
  ModelPod old = pod("old");
  old.node = "n1";
  old.presence = Presence::Leaves;
  put(old, "old", "old");
  ModelPod lone = pod("a");
  lone.anti_affinity = {term("b", "rack")};
  PodId promised = put(lone, "p", "p");
  ModelPod near = pod("n");
  near.affinity = {term("a", "rack")};
  put(near, "near", "near");
  put(pod("b"), "b", "b");
  session = &world.scheduler().open(0);
  NodeId n1 = world.cluster.find_node("n1");
  session->statement().place_on(promised, n1, FitMode::Future, {});
  auto code = [&](const char* name, FitMode mode) {
    PodClassId pod_class = session->snapshot().key(world.cluster.find_pod("x", name)).pod_class;
    return session->fits().link_verdict(pod_class, mode, n1).code;
  };
  // The rack has one node, so repelling is a matter of the node.
  PodClassId b = session->snapshot().key(world.cluster.find_pod("x", "b")).pod_class;
  EXPECT_TRUE(session->fits().exact(b));
  EXPECT_EQ(node_verdict(*session, b, FitMode::Now, n1).code,
            ReasonCode::InsufficientResource);  // resources come first
  EXPECT_EQ(code("near", FitMode::Now), ReasonCode::PodAffinityMismatch);
  EXPECT_EQ(code("near", FitMode::Future), ReasonCode::None);
}

TEST_F(PodTermsPlugins, PodsThatNoTermMeansStayOfOneClass) {
  node("n1", "r1", 64);
  PodId a = put(pod("a"), "a", "a");
  PodId b = put(pod("b"), "b", "b");
  auto class_of = [&](PodId pod) { return world.cluster.pods()[pod].pod_class; };
  EXPECT_EQ(class_of(a), class_of(b));
  ModelPod apart = pod("c");
  apart.anti_affinity = {term("a", "rack")};
  put(apart, "c", "c");
  EXPECT_NE(class_of(a), class_of(b));
  EXPECT_EQ(class_of(b), class_of(put(pod("d"), "d", "d")));
  world.cluster.check_invariants();
}

TEST_F(PodTermsPlugins, AGangInARackWithSpreadInside) {
  for (int i = 0; i < 8; ++i) node("n" + std::to_string(i), i < 4 ? "r1" : "r2", 2);
  world.topology("t", {"rack"});
  ModelPod spread = pod("a");
  ModelSpread constraint;
  constraint.pods.labels = {{"app", SelectorOp::In, {"a"}}};
  constraint.key = "kubernetes.io/hostname";
  constraint.max_skew = 1;
  spread.spread = {constraint};
  GangId id = gang("g", spread, 4);
  Gang record = world.cluster.gangs()[id];
  record.topology.topology = world.str("t");
  record.topology.required = world.str("rack");
  world.cluster.upsert(record);
  EXPECT_EQ(place(id).result, GangStep::Result::Placed);
  // One more would have to go to the other rack.
  put(spread, "g-4", "g");
  record.min_member = 5;
  world.cluster.upsert(record);
  EXPECT_EQ(place(id).code, ReasonCode::TopologyNoFit);
}

}  // namespace
}  // namespace trellis::pod_terms_plugin_test
