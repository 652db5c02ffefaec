#include "server/output/explanation.h"

#include <gtest/gtest.h>

#include "server/output/json_writer.h"
#include "tests/server/sample_cluster.h"

namespace trellis {
namespace {

struct Sample : SampleCluster {
  Sample() {
    NodeId first = node("n1", 1);
    NodeId second = node("n2", 4);
    gang_id = gang("train");
    pod_id = pod("train", "p-0");
    explanation.nodes = {
        {.node = first,
         .reasons = {{ReasonCode::InsufficientResource, "", kGpu, 3000},
                     {ReasonCode::UntoleratedTaint, "predicates"}},
         .scores = {{"nodeplacement", 4.5}},
         .total = 4.5},
        {.node = second, .fits = true, .scores = {{"nodeplacement", 9}}, .total = 9}};
    explanation.domains = {{.topology = "hall",
                            .level = "x/rack",
                            .path = {"b1", "r1"},
                            .allocatable_pods = 3,
                            .needed = 4,
                            .shortages = {{kGpu, 1000}}}};
  }
  GangId gang_id;
  PodId pod_id;
  PodExplanation explanation;
};

TEST(Explanation, PodDocument) {
  Sample sample;
  StringSink sink;
  JsonWriter writer(sink, 2);
  write_pod_explanation(writer, sample.cluster, sample.pod_id, sample.explanation);
  EXPECT_EQ(sink.text(),
            "{\n"
            " \"pod\":\"default/p-0\",\n"
            " \"nodes\":[\n"
            "  {\"name\":\"n1\",\"fits\":false,\"reasons\":[{\"code\":\"InsufficientResource\","
            "\"message\":\"insufficient nvidia.com/gpu: 3 short\"},{\"code\":\"UntoleratedTaint\","
            "\"plugin\":\"predicates\",\"message\":\"with an untolerated taint\"}],"
            "\"scores\":{\"nodeplacement\":4.5},\"total\":4.5},\n"
            "  {\"name\":\"n2\",\"fits\":true,\"scores\":{\"nodeplacement\":9},\"total\":9}\n"
            " ],\n"
            " \"domains\":[\n"
            "  {\"topology\":\"hall\",\"level\":\"x/rack\",\"path\":[\"b1\",\"r1\"],"
            "\"allocatablePods\":3,\"needed\":4,\"fits\":false,"
            "\"shortages\":[{\"resource\":\"nvidia.com/gpu\",\"by\":\"1\"}]}\n"
            " ]\n"
            "}\n");
}

TEST(Explanation, PodTextPutsNodesThatFitFirst) {
  Sample sample;
  EXPECT_EQ(pod_explanation_text(sample.cluster, sample.record(), sample.pod_id, sample.explanation,
                                 Colours::Off),
            "pod default/p-0: Pending, gang default/train\n"
            "1/2 nodes fit: 1 insufficient nvidia.com/gpu, 1 with an untolerated taint\n"
            "\n"
            "NODE  FITS  SCORE  WHY\n"
            "n2    yes       9  nodeplacement=9\n"
            "n1    no        -  insufficient nvidia.com/gpu: 3 short; with an untolerated taint\n"
            "\n"
            "LEVEL  DOMAIN  FITS  PODS  SHORT OF\n"
            "rack   b1/r1   no     3/4  nvidia.com/gpu: 1 short\n");
}

TEST(Explanation, GangTextGivesReasonsAndDomains) {
  Sample sample;
  CycleRecord record = sample.record();
  Reason reason{.code = ReasonCode::QueueNotFound};
  reason.subject = "q";
  record.gangs[sample.gang_id].reasons = {reason};
  EXPECT_EQ(gang_explanation_text(sample.cluster, record, sample.gang_id,
                                  sample.explanation.domains, Colours::Off),
            "gang default/train: Pending, minimum 1 of 1 pods\n"
            "QueueNotFound: queue \"q\" does not exist\n"
            "\n"
            "LEVEL  DOMAIN  FITS  PODS  SHORT OF\n"
            "rack   b1/r1   no     3/4  nvidia.com/gpu: 1 short\n");
}

TEST(Explanation, GangDocument) {
  Sample sample;
  StringSink sink;
  JsonWriter writer(sink, 0);
  write_gang_explanation(writer, sample.cluster, sample.record(), sample.gang_id, {});
  EXPECT_EQ(sink.text(),
            "{\"gang\":\"default/train\",\"status\":\"Pending\",\"reasons\":[],\"domains\":[]}\n");
}

}  // namespace
}  // namespace trellis
