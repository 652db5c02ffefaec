#include <gtest/gtest.h>

#include "server/objects/decoders.h"
#include "tests/server/manifest/reading.h"

namespace trellis::test::decode_node_test {
namespace {

int64_t allocatable(const Reading& reading, std::string_view node, std::string_view resource) {
  ResourceId id = reading.vocabulary->resources.find(resource);
  return id.valid() ? reading.node(node)->allocatable.get(id) : 0;
}

TEST(DecodeNode, AmountsInTheirUnits) {
  Reading reading = read(R"(
apiVersion: v1
kind: Node
metadata: {name: n1, labels: {nvidia.com/gpu.memory: "81559", rack: r1}}
status:
  allocatable: {cpu: 143900m, memory: 960Gi, nvidia.com/gpu: 4, amd.com/gpu: "2", pods: 250,
                ephemeral-storage: 1Ti, example.com/nic: 8, hugepages-1Gi: 2Gi}
)");
  EXPECT_EQ(reading.diagnostics(), std::vector<std::string>{});
  EXPECT_EQ(allocatable(reading, "n1", "cpu"), 143'900);
  EXPECT_EQ(allocatable(reading, "n1", "memory"), int64_t{960} << 30);
  EXPECT_EQ(allocatable(reading, "n1", "nvidia.com/gpu"), 4000);
  EXPECT_EQ(allocatable(reading, "n1", "amd.com/gpu"), 2000);
  EXPECT_EQ(allocatable(reading, "n1", "pods"), 250);
  EXPECT_EQ(allocatable(reading, "n1", "ephemeral-storage"), int64_t{1} << 40);
  EXPECT_EQ(allocatable(reading, "n1", "example.com/nic"), 8);
  EXPECT_EQ(allocatable(reading, "n1", "hugepages-1Gi"), int64_t{2} << 30);
  EXPECT_EQ(reading.node("n1")->gpu_memory_mib, 81'559);
  EXPECT_TRUE(reading.node("n1")->ready);
  EXPECT_FALSE(reading.node("n1")->unschedulable);
}

TEST(DecodeNode, CapacityWhereNothingIsAllocatableAndNoPodsByDefault) {
  Reading reading = read(R"(
apiVersion: v1
kind: Node
metadata: {name: a}
status: {capacity: {cpu: 2}}
---
apiVersion: v1
kind: Node
metadata: {name: b}
status: {capacity: {cpu: 2, pods: 5}, allocatable: {cpu: 1}}
---
apiVersion: v1
kind: Node
metadata: {name: c}
)");
  EXPECT_EQ(allocatable(reading, "a", "cpu"), 2000);
  EXPECT_EQ(allocatable(reading, "a", "pods"), 0);
  EXPECT_EQ(allocatable(reading, "b", "cpu"), 1000);
  EXPECT_EQ(allocatable(reading, "b", "pods"), 0);
  EXPECT_EQ(allocatable(reading, "c", "pods"), 0);
  EXPECT_FALSE(reading.manifest.has_errors());
  EXPECT_EQ(reading.diagnostics().size(), 1U);  // c says nothing of what it has
}

TEST(DecodeNode, DeclaredFeatures) {
  Reading reading = read(R"(
apiVersion: v1
kind: Node
metadata: {name: n1}
status:
  allocatable: {cpu: 2, pods: 5}
  declaredFeatures: [Another, RestartAllContainersOnContainerExits]
)");
  NodeFeatures features = reading.node("n1")->features;
  NodeFeatures restarts;
  restarts.add(NodeFeature::RestartAllContainers);
  EXPECT_EQ(features, restarts);
  EXPECT_EQ(reading.diagnostics(), std::vector<std::string>{});
}

TEST(DecodeNode, WhatThereIsNoneOfIsNoResource) {
  Reading reading = read(R"(
apiVersion: v1
kind: Node
metadata: {name: a}
status: {allocatable: {cpu: 1, hugepages-1Gi: "0", hugepages-2Mi: 0, pods: "0"}}
)");
  EXPECT_EQ(reading.diagnostics(), std::vector<std::string>{});
  EXPECT_FALSE(reading.vocabulary->resources.find("hugepages-1Gi").valid());
  EXPECT_EQ(allocatable(reading, "a", "pods"), 0);
}

TEST(DecodeNode, ConditionsAndTaints) {
  Reading reading = read(R"(
apiVersion: v1
kind: Node
metadata: {name: a}
spec:
  unschedulable: true
  taints:
  - {key: node.kubernetes.io/unschedulable, effect: NoSchedule}
  - {key: gpu, value: "yes", effect: PreferNoSchedule}
status:
  allocatable: {cpu: 1}
  conditions:
  - {type: MemoryPressure, status: "False", lastHeartbeatTime: "2026-05-01T00:00:00Z"}
  - {type: Ready, status: Unknown, lastTransitionTime: "2026-04-01T00:00:00Z"}
)");
  const Node* node = reading.node("a");
  EXPECT_FALSE(node->ready);
  EXPECT_TRUE(node->unschedulable);
  ASSERT_EQ(node->taints.size(), 2U);
  EXPECT_EQ(reading.manifest.newest_timestamp, 1'777'593'600 * kSecondUs);
}

TEST(DecodeNode, ABrokenNodeIsLeftOut) {
  Reading reading = read(R"(
{"apiVersion":"v1","kind":"Node","metadata":{"name":"a"},"status":{"allocatable":{"cpu":"-1"}}}
{"apiVersion":"v1","kind":"Node","metadata":{"name":"b"},"status":{"allocatable":{"nvidia.com/gpu":"500m"}}}
{"apiVersion":"v1","kind":"Node","metadata":{"name":"c"},"spec":{"taints":[{"key":"x","effect":"NoExecut"}]},"status":{"allocatable":{"cpu":"1"}}}
{"apiVersion":"v1","kind":"Node","metadata":{"name":"d","labels":{"rack":5}},"status":{"allocatable":{"cpu":"1"}}}
{"apiVersion":"v1","kind":"Node","metadata":{"name":"e"},"status":{"allocatable":{"cpu":"1"}}}
)",
                         "in.jsonl");
  ASSERT_EQ(reading.manifest.objects.nodes.size(), 1U);
  EXPECT_EQ(reading.manifest.objects.nodes[0].name, "e");
  EXPECT_EQ(reading.diagnostics(),
            (std::vector<std::string>{
                "in.jsonl:2: doc 1: $.status.allocatable.cpu: found \"-1\", expected a quantity "
                "that is not negative",
                "in.jsonl:3: doc 2: $.status.allocatable[\"nvidia.com/gpu\"]: found \"500m\", "
                "expected a whole number (annotation gpu-fraction asks for a part of a GPU)",
                "in.jsonl:4: doc 3: $.spec.taints[0].effect: found \"NoExecut\", expected "
                "\"NoSchedule\", \"PreferNoSchedule\" or \"NoExecute\"; did you mean "
                "\"NoExecute\"?",
                "in.jsonl:5: doc 4: $.metadata.labels.rack: found the number 5, expected a string "
                "(in quotes)"}));
}

}  // namespace
}  // namespace trellis::test::decode_node_test
