#include "server/wording/reason_text.h"

#include <gtest/gtest.h>

#include "framework/reason_catalog.h"
#include "server/document/json_writer.h"
#include "tests/server/sample_cluster.h"

namespace trellis::reason_text_test {
namespace {

template <class AnyReason>
std::string json_of(const Cluster& cluster, const AnyReason& reason) {
  StringSink sink;
  JsonWriter writer(sink, 0);
  write_reason(writer, cluster, reason);
  writer.finish();
  return sink.text();
}

TEST(ReasonText, CountsNodesByWhatTheyLack) {
  SampleCluster sample;
  NodeId node = sample.node("n1", 4);
  Reason reason{.code = ReasonCode::NodesNoFit, .needed = 1, .nodes = 1200};
  reason.level = "example.com/rack";
  reason.domain = {"b1", "r7"};
  reason.verdicts = {{ReasonCode::InsufficientResource, kGpu, "", 900, node},
                     {ReasonCode::OutsideDomain, {}, "topology", 300, node}};
  EXPECT_EQ(reason_text(sample.cluster, reason),
            "0/1200 nodes: 900 insufficient nvidia.com/gpu, 300 outside rack b1/r7");
}

TEST(ReasonText, AGangSaysHowManyPodsFit) {
  SampleCluster sample;
  Reason reason{.code = ReasonCode::NodesNoFit, .needed = 10, .found = 4, .nodes = 3};
  reason.verdicts = {{ReasonCode::InsufficientResource, kCpu, "", 3, {}}};
  EXPECT_EQ(reason_text(sample.cluster, reason),
            "needs 10 pods, 4 fit; 0/3 nodes: 3 insufficient cpu");
}

TEST(ReasonText, TopologyNoFitNamesLevelAndNearestDomain) {
  SampleCluster sample;
  Reason reason{.code = ReasonCode::TopologyNoFit, .plugin = "topology", .needed = 8, .found = 5};
  reason.topology = "hall";
  reason.level = "example.com/rack";
  reason.domain = {"b1", "r7"};
  EXPECT_EQ(reason_text(sample.cluster, reason),
            "no rack of topology hall takes 8 pods: the best, b1/r7, takes 5");
  EXPECT_EQ(json_of(sample.cluster, reason),
            "{\"code\":\"TopologyNoFit\",\"plugin\":\"topology\","
            "\"message\":\"no rack of topology hall takes 8 pods: the best, b1/r7, takes 5\","
            "\"details\":{\"topology\":\"hall\",\"level\":\"example.com/rack\","
            "\"domain\":[\"b1\",\"r7\"],\"needed\":8,\"found\":5}}\n");
}

TEST(ReasonText, VerdictsGoIntoTheDetails) {
  SampleCluster sample;
  NodeId node = sample.node("n1", 4);
  Reason reason{.code = ReasonCode::NodesNoFit, .needed = 1, .nodes = 1};
  reason.verdicts = {{ReasonCode::NodeNotReady, {}, "predicates", 1, node}};
  EXPECT_EQ(json_of(sample.cluster, reason),
            "{\"code\":\"NodesNoFit\",\"message\":\"0/1 nodes: 1 not ready\","
            "\"details\":{\"needed\":1,\"found\":0,\"nodes\":1,"
            "\"verdicts\":[{\"code\":\"NodeNotReady\",\"plugin\":\"predicates\",\"nodes\":1,"
            "\"example\":\"n1\"}]}}\n");
}

TEST(ReasonText, WordsThatAreWrongAreQuoted) {
  SampleCluster sample;
  auto text = [&](ReasonCode code, const char* subject) {
    Reason reason{.code = code};
    reason.subject = subject;
    reason.topology = code == ReasonCode::LevelUnknown ? "hall" : "";
    return reason_text(sample.cluster, reason);
  };
  EXPECT_EQ(text(ReasonCode::QueueNotFound, "q"), "queue \"q\" does not exist");
  EXPECT_EQ(text(ReasonCode::TopologyNotFound, "hall"), "topology \"hall\" does not exist");
  EXPECT_EQ(text(ReasonCode::LevelUnknown, "rak"), "topology hall has no level \"rak\"");
  EXPECT_EQ(text(ReasonCode::InvalidObject, "Pod p: found x"), "Pod p: found x");
  EXPECT_EQ(text(ReasonCode::GangNotFound, "g"), "PodGroup \"g\" does not exist");
}

TEST(ReasonText, EveryCodeHasAText) {
  SampleCluster sample;
  for (const ReasonEntry& entry : all_reasons()) {
    Reason reason{.code = entry.code};
    EXPECT_FALSE(reason_text(sample.cluster, reason).empty()) << entry.name;
    NodeReason node{.code = entry.code};
    EXPECT_FALSE(reason_text(sample.cluster, node).empty()) << entry.name;
  }
}

TEST(ReasonText, ANodeSaysHowMuchIsShort) {
  SampleCluster sample;
  NodeReason reason{.code = ReasonCode::InsufficientResource, .resource = kGpu, .short_by = 2500};
  EXPECT_EQ(reason_text(sample.cluster, reason), "insufficient nvidia.com/gpu: 2.5 short");
  EXPECT_EQ(json_of(sample.cluster, reason),
            "{\"code\":\"InsufficientResource\","
            "\"message\":\"insufficient nvidia.com/gpu: 2.5 short\"}\n");
}

}  // namespace
}  // namespace trellis::reason_text_test
