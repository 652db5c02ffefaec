#include "session/explain/pod_explanation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "session/explain/topology_report.h"
#include "tests/support/world.h"
#include "tests/topology/kai_tree.h"

namespace trellis::pod_explanation_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::vector<ReasonCode> codes(const NodeJudgement& judgement) {
  std::vector<ReasonCode> all;
  for (const NodeReason& reason : judgement.reasons) all.push_back(reason.code);
  return all;
}

TEST(Explain, EveryPluginIsAskedAboutEveryNode) {
  World world;
  world.node("busy", {.cpu = 1, .gpu = 1, .taints = {{"team"}}});
  world.node("cordoned", {.gpu = 1, .unschedulable = true});
  world.node("good", {.gpu = 2});
  world.gang("g", {.count = 1, .pod = {.cpu = 2, .gpu = 1}});
  world.cycle();
  PodExplanation explanation = explain_pod(world.scheduler(), world.pod_id("g-0"));
  ASSERT_THAT(explanation.nodes, SizeIs(3));
  EXPECT_THAT(codes(explanation.nodes[0]),
              ElementsAre(ReasonCode::InsufficientResource, ReasonCode::UntoleratedTaint));
  EXPECT_EQ(explanation.nodes[0].reasons[0].resource, kCpu);
  EXPECT_EQ(explanation.nodes[0].reasons[0].short_by, 1000);
  EXPECT_THAT(codes(explanation.nodes[1]), ElementsAre(ReasonCode::NodeUnschedulable));
  EXPECT_THAT(codes(explanation.nodes[2]), IsEmpty());
  EXPECT_TRUE(explanation.nodes[2].fits);
  double sum = 0;
  for (const auto& [plugin, score] : explanation.nodes[2].scores) sum += score;
  EXPECT_DOUBLE_EQ(explanation.nodes[2].total, sum);  // all weights are 1
}

TEST(Explain, APluginNamesAllOfItsRefusals) {
  World world;
  world.node("n", {.taints = {{"team"}}, .ready = false, .unschedulable = true});
  world.gang("old", {.min_member = 1});
  world.pod("old-0", "old", {.ports = {{80}}, .node = "n"});
  TermArgs other{.fields = {{"metadata.name", SelectorOp::In, {"m"}}}};
  NodeFeatures restarts;
  restarts.add(NodeFeature::RestartAllContainers);
  world.gang("g", {.count = 1,
                   .pod = {.selector = {{"zone", "a"}},
                           .affinity = {other},
                           .ports = {{80}},
                           .features = restarts}});
  world.cycle();
  PodExplanation explanation = explain_pod(world.scheduler(), world.pod_id("g-0"));
  EXPECT_THAT(codes(explanation.nodes.at(0)),
              ElementsAre(ReasonCode::NodeNotReady, ReasonCode::NodeUnschedulable,
                          ReasonCode::UntoleratedTaint, ReasonCode::NodeSelectorMismatch,
                          ReasonCode::NodeFeatureMissing, ReasonCode::NodeAffinityMismatch,
                          ReasonCode::HostPortConflict));
}

// Without the gang's own decisions, and with everybody else's.
TEST(Explain, OneQuestionDoesNotChangeTheNext) {
  World world;
  world.node("n", {.cpu = 1});
  world.gang("a", {.count = 1});
  world.gang("b", {.count = 1, .created = 1});
  world.cycle();
  ASSERT_EQ(world.node_of("a-0"), "n");
  for (int round = 0; round < 2; ++round) {
    PodExplanation a = explain_pod(world.scheduler(), world.pod_id("a-0"));
    EXPECT_TRUE(a.nodes.at(0).fits) << "without its own decision the node is free";
    PodExplanation b = explain_pod(world.scheduler(), world.pod_id("b-0"));
    EXPECT_FALSE(b.nodes.at(0).fits) << "a holds the node";
  }
}

TEST(Explain, AReportAfterAQuestionShowsTheCyclesEnd) {
  World world;
  world.topology("t", {"rack"});
  world.node("n", {.cpu = 4, .labels = {{"rack", "r"}}});
  world.gang("a", {.count = 3});
  world.cycle();
  explain_pod(world.scheduler(), world.pod_id("a-0"));
  std::vector<TopologyReport> reports = report_topologies(world.scheduler());
  EXPECT_EQ(reports.at(0).domains.back().available.get(kCpu), 1000);
  EXPECT_EQ(reports.at(0).domains.back().allocated.get(kCpu), 3000);
}

// The source may have moved on: what was decided then is not decided twice.
TEST(Explain, AfterTheDecisionsCameTrue) {
  World world;
  world.node("n", {.cpu = 4});
  world.gang("a", {.count = 3});
  world.gang("b", {.count = 1, .pod = {.cpu = 2}, .created = 1});
  world.cycle();
  world.pass_time();
  PodExplanation b = explain_pod(world.scheduler(), world.pod_id("b-0"));
  ASSERT_THAT(codes(b.nodes.at(0)), ElementsAre(ReasonCode::InsufficientResource));
  EXPECT_EQ(b.nodes[0].reasons[0].short_by, 1000);
}

TEST(Explain, OutsideTheDomainWhereTheGangRuns) {
  World world;
  world.topology("t", {"rack"});
  world.node("a", {.labels = {{"rack", "r1"}}});
  world.node("b", {.labels = {{"rack", "r2"}}});
  world.node("bare");
  world.gang("g", {.min_member = 1, .topology = "t", .required = "rack"});
  world.pod("g-0", "g", {.node = "a"});
  world.pod("g-1", "g");
  world.cycle();
  PodExplanation explanation = explain_pod(world.scheduler(), world.pod_id("g-1"));
  EXPECT_TRUE(explanation.nodes[0].fits);
  EXPECT_THAT(codes(explanation.nodes[1]), ElementsAre(ReasonCode::OutsideDomain));
  EXPECT_THAT(codes(explanation.nodes[2]), ElementsAre(ReasonCode::OutsideDomain));
}

}  // namespace
}  // namespace trellis::pod_explanation_test
