#include <gtest/gtest.h>

#include "server/objects/decoders.h"
#include "tests/server/manifest/reading.h"

namespace trellis::test::decode_queue_test {
namespace {

TEST(DecodeQueue, Units) {
  Reading reading = read(R"(
apiVersion: scheduling.run.ai/v2
kind: Queue
metadata: {name: q, creationTimestamp: "1970-01-01T00:00:01Z"}
spec:
  parentQueue: root
  priority: 5
  resources:
    gpu: {quota: 1.5, limit: -1, overQuotaWeight: 2}
    cpu: {quota: -1, limit: 4000}
    memory: {quota: 100}
---
apiVersion: scheduling.run.ai/v2
kind: Queue
metadata: {name: root}
)");
  EXPECT_EQ(reading.diagnostics(), std::vector<std::string>{});
  const Queue* queue = reading.queue("q");
  EXPECT_EQ(reading.text(queue->parent), "root");
  EXPECT_EQ(queue->gpu.quota, 1500);
  EXPECT_EQ(queue->gpu.limit, QueueShare::kUnlimited);
  EXPECT_EQ(queue->gpu.over_quota_weight, 2);
  EXPECT_EQ(queue->cpu.quota, QueueShare::kUnlimited);
  EXPECT_EQ(queue->cpu.limit, 4000);
  EXPECT_EQ(queue->memory.quota, 100'000'000);
  EXPECT_EQ(queue->priority, 5);
  EXPECT_EQ(queue->created, kSecondUs);
  EXPECT_EQ(reading.queue("root")->priority, 100);
}

TEST(DecodeQueue, SaysWhetherItsGangsMayMove) {
  Reading reading = read(R"(
apiVersion: scheduling.run.ai/v2
kind: Queue
metadata: {name: q, annotations: {trellis.scheduler/movable: "true"}}
---
apiVersion: scheduling.run.ai/v2
kind: Queue
metadata: {name: other}
)");
  EXPECT_EQ(reading.diagnostics(), std::vector<std::string>{});
  EXPECT_EQ(reading.queue("q")->movable, true);
  EXPECT_EQ(reading.queue("other")->movable, std::nullopt);
}

TEST(DecodeQueue, Refuses) {
  for (const char* spec : {"{resources: {gpu: {quota: -2}}}", "{resources: {gpu: {quota: x}}}",
                           "{resources: {gpu: {quota: 1e999}}}", "{resources: {gpus: {quota: 1}}}",
                           "{parentQueue: 5}", "{priority: high}", "{resources: []}"}) {
    Reading reading =
        read("apiVersion: scheduling.run.ai/v2\nkind: Queue\nmetadata: {name: q}\nspec: " +
             std::string(spec) + "\n");
    EXPECT_TRUE(reading.manifest.has_errors()) << spec;
    EXPECT_EQ(reading.queue("q"), nullptr) << spec;
  }
}

Reading queues(const std::vector<std::pair<std::string, std::string>>& parents) {
  std::string text;
  for (const auto& [name, parent] : parents) {
    text += "---\napiVersion: scheduling.run.ai/v2\nkind: Queue\nmetadata: {name: " + name +
            "}\nspec: {" + (parent.empty() ? "" : "parentQueue: " + parent) + "}\n";
  }
  return read(text);
}

size_t left(const Reading& reading) { return reading.manifest.objects.queues.size(); }

TEST(LinkQueues, AnyOrder) {
  EXPECT_EQ(left(queues({{"c", "b"}, {"b", "a"}, {"a", ""}})), 3U);
  EXPECT_EQ(left(queues({{"a", ""}, {"b", "a"}, {"c", "b"}})), 3U);
}

TEST(LinkQueues, UnknownParentsLeaveTheirTreesOut) {
  Reading reading = queues({{"teams", ""}, {"a", "team"}, {"b", "a"}, {"c", "teams"}});
  EXPECT_EQ(left(reading), 2U);
  EXPECT_EQ(reading.diagnostics(),
            (std::vector<std::string>{
                "in.yaml:10: doc 2: $.spec.parentQueue: found \"team\", expected the name of a "
                "Queue; did you mean \"teams\"?",
                "in.yaml:15: warning: doc 3: $.spec.parentQueue: found a parent that is left out, "
                "expected one that can be used"}));
}

TEST(LinkQueues, Circles) {
  Reading reading = queues({{"a", "b"}, {"b", "a"}, {"c", "a"}, {"d", ""}, {"e", "e"}});
  EXPECT_EQ(left(reading), 1U);
  size_t errors = 0;
  for (const Diagnostic& diagnostic : reading.manifest.diagnostics) {
    if (diagnostic.severity == Severity::Error) ++errors;
  }
  EXPECT_EQ(errors, 3U);
}

TEST(DecodeQueue, MinimumRunTimes) {
  Reading reading = read(R"(
apiVersion: scheduling.run.ai/v2
kind: Queue
metadata: {name: q}
spec: {preemptMinRuntime: 1h30m, reclaimMinRuntime: 0s}
---
apiVersion: scheduling.run.ai/v2
kind: Queue
metadata: {name: silent}
)");
  EXPECT_EQ(reading.diagnostics(), std::vector<std::string>{});
  EXPECT_EQ(reading.queue("q")->preempt_min_runtime_us, 5400 * kSecondUs);
  EXPECT_EQ(reading.queue("q")->reclaim_min_runtime_us, 0);
  EXPECT_EQ(reading.queue("silent")->preempt_min_runtime_us, std::nullopt);
}

TEST(LinkQueues, WhatIsAboveTheParentIsWorthAWord) {
  auto warnings = [](const std::string& parent, const std::string& child) {
    return read(
               "apiVersion: scheduling.run.ai/v2\nkind: Queue\nmetadata: {name: p}\n"
               "spec: {resources: {gpu: " +
               parent +
               "}}\n---\n"
               "apiVersion: scheduling.run.ai/v2\nkind: Queue\nmetadata: {name: c}\n"
               "spec: {parentQueue: p, resources: {gpu: " +
               child + "}}\n")
        .diagnostics()
        .size();
  };
  EXPECT_EQ(warnings("{quota: 4, limit: 8}", "{quota: 4, limit: 8}"), 0U);
  EXPECT_EQ(warnings("{quota: 4, limit: 8}", "{quota: 5, limit: 9}"), 2U);
  EXPECT_EQ(warnings("{quota: 4, limit: 8}", "{quota: 4}"), 0U);
  EXPECT_EQ(warnings("{quota: 4, limit: 8}", "{quota: -1, limit: -1}"), 1U);
  EXPECT_EQ(warnings("{quota: -1, limit: -1}", "{quota: 5, limit: 9}"), 0U);
  EXPECT_EQ(warnings("{}", "{quota: 5}"), 0U);
}

}  // namespace
}  // namespace trellis::test::decode_queue_test
