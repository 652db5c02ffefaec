#include "server/view/decisions.h"

#include <gtest/gtest.h>

#include "server/document/json_writer.h"
#include "tests/server/sample_cluster.h"

namespace trellis::decisions_test {
namespace {

std::string json_of(const SampleCluster& sample, const CycleRecord& record, int64_t cycles = 1) {
  StringSink sink;
  JsonWriter writer(sink, 2);
  write_decisions(writer, sample.cluster, record, cycles);
  return sink.text();
}

TEST(Decisions, EmptyClusterStillHasEveryTopLevelArray) {
  SampleCluster sample;
  EXPECT_EQ(json_of(sample, sample.record(), 3),
            "{\n"
            " \"apiVersion\":\"trellis.scheduler/v1alpha1\",\n"
            " \"kind\":\"Decisions\",\n"
            " \"cycles\":3,\n"
            " \"pods\":[],\n"
            " \"gangs\":[],\n"
            " \"workloads\":[],\n"
            " \"evictions\":[],\n"
            " \"nodes\":[],\n"
            " \"totals\":{\n"
            "  \"allocatable\":{},\n"
            "  \"requested\":{},\n"
            "  \"pending\":{}\n"
            " }\n"
            "}\n");
}

TEST(Decisions, WritesWhatIsSetInFixedOrder) {
  SampleCluster sample;
  NodeId node = sample.node("n1", 4);
  GangId train = sample.gang("train", "research");
  PodId pod = sample.pod("train", "p-1");
  sample.pod("train", "p-0");
  CycleRecord record = sample.record();
  record.pods.own(pod) = {.status = PodStatus::Bound, .node = node, .action = "allocate"};
  record.pods.own(pod).gpus.push_back({0, 500});
  record.nodes.own(node) = {3, 0};
  record.gangs.own(train).status = GangStatus::Scheduled;
  record.gangs.own(train).placement = GangPlacement{"hall", "example.com/rack", {"b1", "r3"}};
  EXPECT_EQ(json_of(sample, record),
            "{\n"
            " \"apiVersion\":\"trellis.scheduler/v1alpha1\",\n"
            " \"kind\":\"Decisions\",\n"
            " \"cycles\":1,\n"
            " \"pods\":[\n"
            "  {\"namespace\":\"default\",\"name\":\"p-0\",\"gang\":\"default/train\","
            "\"status\":\"Pending\",\"requests\":{\"nvidia.com/gpu\":\"1\",\"pods\":\"1\"}},\n"
            "  {\"namespace\":\"default\",\"name\":\"p-1\",\"gang\":\"default/train\","
            "\"node\":\"n1\",\"status\":\"Bound\",\"action\":\"allocate\","
            "\"gpus\":[{\"index\":0,\"portion\":\"0.5\"}],"
            "\"requests\":{\"nvidia.com/gpu\":\"1\",\"pods\":\"1\"}}\n"
            " ],\n"
            " \"gangs\":[\n"
            "  {\"namespace\":\"default\",\"name\":\"train\",\"queue\":\"research\","
            "\"status\":\"Scheduled\",\"placement\":{\"topology\":\"hall\","
            "\"level\":\"example.com/rack\",\"domain\":[\"b1\",\"r3\"]}}\n"
            " ],\n"
            " \"workloads\":[],\n"
            " \"evictions\":[],\n"
            " \"nodes\":[\n"
            "  {\"name\":\"n1\",\"gpus\":4,\"idleGPUs\":3,\"releasingGPUs\":0,"
            "\"allocatable\":{\"cpu\":\"8\",\"nvidia.com/gpu\":\"4\",\"pods\":\"110\"},"
            "\"requested\":{\"nvidia.com/gpu\":\"1\",\"pods\":\"1\"}}\n"
            " ],\n"
            " \"totals\":{\n"
            "  \"allocatable\":{\"cpu\":\"8\",\"nvidia.com/gpu\":\"4\",\"pods\":\"110\"},\n"
            "  \"requested\":{\"nvidia.com/gpu\":\"1\",\"pods\":\"1\"},\n"
            "  \"pending\":{\"nvidia.com/gpu\":\"1\",\"pods\":\"1\"}\n"
            " }\n"
            "}\n");
}

TEST(Decisions, RanksAndSubgroups) {
  SampleCluster sample;
  NodeId node = sample.node("n1", 4);
  GangId serve = sample.gang_of("serve", {{"prefill", ""}, {"decode", ""}});
  PodId pod = sample.pod("serve", "p-0");
  sample.put_into(pod, "prefill");
  CycleRecord record = sample.record();
  record.pods.own(pod) = {
      .status = PodStatus::Bound, .node = node, .action = "allocate", .rank = 0};
  record.gangs.own(serve).placement = GangPlacement{"hall", "example.com/block", {"b1"}};
  record.gangs.own(serve).subgroups.resize(2);
  record.gangs.own(serve).subgroups[0] = {GangStatus::Scheduled,
                                          GangPlacement{"hall", "example.com/rack", {"b1", "r3"}}};
  std::string text = json_of(sample, record);
  EXPECT_NE(text.find("\"action\":\"allocate\",\"rank\":0,"), std::string::npos) << text;
  EXPECT_NE(text.find("\"domain\":[\"b1\"]},\"subgroups\":["
                      "{\"name\":\"prefill\",\"status\":\"Scheduled\",\"placement\":{"
                      "\"topology\":\"hall\",\"level\":\"example.com/rack\","
                      "\"domain\":[\"b1\",\"r3\"]}},"
                      "{\"name\":\"decode\",\"status\":\"Pending\"}]"),
            std::string::npos)
      << text;
}

TEST(Decisions, EvictionsAreSortedAndNameTheirCause) {
  SampleCluster sample;
  NodeId node = sample.node("n1", 2);
  GangId urgent = sample.gang("urgent");
  sample.gang("victim");
  PodId first = sample.pod("victim", "v-0", PodStatus::Running, "n1");
  PodId second = sample.pod("victim", "v-1", PodStatus::Running, "n1");
  CycleRecord record = sample.record();
  record.pods.own(first) = {.status = PodStatus::Evicted, .node = node, .action = "preempt"};
  record.pods.own(second) = {
      .status = PodStatus::Pipelined, .node = node, .action = "preempt", .evicted = true};
  for (PodId pod : {second, first}) {
    record.decisions.push_back(
        {.kind = Decision::Kind::Evict, .pod = pod, .by = urgent, .action = "preempt"});
  }
  std::string text = json_of(sample, record);
  EXPECT_NE(text.find(" \"evictions\":[\n"
                      "  {\"namespace\":\"default\",\"pod\":\"v-0\",\"gang\":\"default/victim\","
                      "\"action\":\"preempt\",\"by\":\"default/urgent\"},\n"
                      "  {\"namespace\":\"default\",\"pod\":\"v-1\""),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("\"status\":\"Pipelined\",\"action\":\"preempt\",\"evicted\":true,"),
            std::string::npos)
      << text;
}

TEST(Decisions, APodOnANodeThatWasNotReadStaysThere) {
  SampleCluster sample;
  sample.gang("train");
  sample.pod("train", "p-0", PodStatus::Running, "elsewhere");
  std::string text = json_of(sample, sample.record());
  EXPECT_NE(text.find("\"node\":\"elsewhere\",\"status\":\"Running\""), std::string::npos) << text;
}

}  // namespace
}  // namespace trellis::decisions_test
