#include "server/view/explanation.h"

#include <gtest/gtest.h>

#include "server/document/json_writer.h"
#include "session/cycle/scheduler.h"
#include "tests/support/world.h"

namespace trellis::explanation_test {
namespace {

// A rack of two nodes: n1 is tainted and full, n2 has three GPUs for pods of four.
struct Sample : World {
  Sample() {
    config.actions = {"allocate"};
    topology("hall", {"x/block", "x/rack"});
    LabelMap r1 = {{"x/block", "b1"}, {"x/rack", "r1"}};
    node("n1", {.gpu = 1, .labels = r1, .taints = {{"team"}}});
    node("n2", {.gpu = 4, .labels = r1});
    gang("run");
    pod("run-0", "run", {.gpu = 1, .node = "n2"});
    gang("train", {.count = 1, .pod = {.gpu = 4}, .topology = "hall", .required = "rack"});
    cycle();
  }
  Session& session() { return scheduler().reopen_without(gang_id("train")); }
};

TEST(Explanation, PodDocument) {
  Sample sample;
  Session& session = sample.session();
  PodExplanation explanation = explain_pod(session, sample.pod_id("train-0"));
  for (NodeJudgement& node : explanation.nodes) node.scores = {{"nodeplacement", 4.5}};
  for (NodeJudgement& node : explanation.nodes) node.total = 4.5;
  StringSink sink;
  JsonWriter writer(sink, 2);
  write_pod_explanation(writer, session, sample.pod_id("train-0"), explanation);
  EXPECT_EQ(sink.text(),
            "{\n"
            " \"pod\":\"default/train-0\",\n"
            " \"nodes\":[\n"
            "  {\"name\":\"n1\",\"fits\":false,\"reasons\":[{\"code\":\"InsufficientResource\","
            "\"message\":\"insufficient nvidia.com/gpu: 3 short\"},{\"code\":\"UntoleratedTaint\","
            "\"plugin\":\"predicates\",\"message\":\"with an untolerated taint\"}],"
            "\"scores\":{\"nodeplacement\":4.5},\"total\":4.5},\n"
            "  {\"name\":\"n2\",\"fits\":false,\"reasons\":[{\"code\":\"InsufficientResource\","
            "\"message\":\"insufficient nvidia.com/gpu: 1 short\"}],"
            "\"scores\":{\"nodeplacement\":4.5},\"total\":4.5}\n"
            " ],\n"
            " \"domains\":[\n"
            "  {\"topology\":\"hall\",\"level\":\"x/rack\",\"path\":[\"b1\",\"r1\"],"
            "\"allocatablePods\":0,\"needed\":1,\"fits\":false,"
            "\"short\":[{\"resource\":\"nvidia.com/gpu\",\"by\":\"4\"}],"
            "\"refusals\":[{\"code\":\"UntoleratedTaint\",\"plugin\":\"predicates\",\"nodes\":1,"
            "\"example\":\"n1\"}],"
            "\"remedy\":{"
            "\"freed\":[{\"resource\":\"nvidia.com/gpu\",\"by\":\"1\"}]}}\n"
            " ]\n"
            "}\n");
}

TEST(Explanation, PodTextPutsNodesThatFitFirst) {
  Sample sample;
  sample.node("n3", {.gpu = 4});  // outside every rack
  sample.cycle();
  Session& session = sample.session();
  PodExplanation explanation = explain_pod(session, sample.pod_id("train-0"));
  explanation.nodes[1] = {.node = sample.node_id("n2"),
                          .fits = true,
                          .scores = {{"nodeplacement", 1.0 / 3}},
                          .total = 1.0 / 3};
  std::string text = pod_explanation_text(session, sample.record(), sample.pod_id("train-0"),
                                          explanation, Colours::Off);
  // The reasons of its gang come first; then each node, counted once.
  EXPECT_EQ(text.substr(text.find("\n1/3")),
            "\n"
            "1/3 nodes: 1 outside the domain, 1 with an untolerated taint\n"
            "\n"
            "NODE  FITS  SCORE  WHY\n"
            "n2    yes   0.333  nodeplacement=0.333\n"
            "n1    no        -  insufficient nvidia.com/gpu: 3 short; with an untolerated taint "
            "(predicates)\n"
            "n3    no        -  outside the domain (topology)\n"
            "\n"
            "LEVEL  DOMAIN  FITS  PODS  SHORT OF                                  WHAT WOULD HELP\n"
            "rack   b1/r1   no     0/1  4 GPUs; 1 node with an untolerated taint  1 GPU freed in "
            "b1/r1\n");
}

TEST(Explanation, GangTextGivesReasonsDomainsAndWhatWouldHelp) {
  Sample sample;
  CycleRecord record = sample.record();
  Reason reason{.code = ReasonCode::QueueNotFound};
  reason.subject = "q";
  record.gangs.own(sample.gang_id("train")).reasons = {reason};
  Session& session = sample.session();
  EXPECT_EQ(gang_explanation_text(session, record, sample.gang_id("train"),
                                  explain_gang(session, sample.gang_id("train")), Colours::Off),
            "gang default/train: Pending, minimum 1 of 1 pods, waits since 1970-01-01T00:00:00Z\n"
            "QueueNotFound: queue \"q\" does not exist\n"
            "it would fit in rack b1/r1 if this gang left: default/run (1 pod)\n"
            "\n"
            "LEVEL  DOMAIN  FITS  PODS  SHORT OF                                  "
            "WHAT WOULD HELP\n"
            "rack   b1/r1   no     0/1  4 GPUs; 1 node with an untolerated taint  "
            "1 GPU freed in b1/r1\n");
}

TEST(Explanation, GangDocumentWithoutDomains) {
  Sample sample;
  StringSink sink;
  JsonWriter writer(sink, 0);
  Session& session = sample.session();
  write_gang_explanation(writer, session, sample.record(), sample.gang_id("run"), {});
  writer.finish();
  EXPECT_EQ(sink.text(),
            "{\"gang\":\"default/run\",\"status\":\"Running\",\"reasons\":[],\"domains\":[]}\n");
}

}  // namespace
}  // namespace trellis::explanation_test
