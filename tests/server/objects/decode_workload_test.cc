#include <gtest/gtest.h>

#include "server/objects/decoders.h"
#include "tests/server/manifest/reading.h"

namespace trellis::test::decode_workload_test {
namespace {

using Names = std::vector<std::string>;

constexpr const char* kQueues = R"(
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: cq}
spec: {admissionChecksStrategy: {admissionChecks: [{name: check, onFlavors: [f]}]}}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: lq}
spec: {clusterQueue: cq}
---
)";

// A Workload of two pods; `spec` and `status` are lines of flow style.
Reading read_workload(const std::string& spec, const std::string& status = "{}") {
  return read(kQueues + std::string(R"(
apiVersion: kueue.x-k8s.io/v1beta2
kind: Workload
metadata: {name: wl, creationTimestamp: "1970-01-01T00:00:01Z"}
spec:
  queueName: lq
  podSets: [{name: main, count: 2, template: {spec: {containers: [{name: c}]}}}]
)") + (spec.empty() ? "" : "  " + spec + "\n") +
              "status: " + status + "\n");
}

TEST(DecodeWorkload, APendingOne) {
  Reading reading = read_workload("active: false");
  EXPECT_EQ(reading.diagnostics(), Names{});
  const Workload& workload = *reading.workload("wl");
  EXPECT_EQ(reading.text(workload.queue), "lq");
  EXPECT_FALSE(workload.active);
  EXPECT_EQ(workload.priority, 0);
  EXPECT_EQ(workload.queued, kSecondUs);
  EXPECT_EQ(workload.pod_sets.at(0).count, 2);
  EXPECT_EQ(workload.pod_sets.at(0).spec.requests.get(kPods), 1);
  EXPECT_FALSE(workload.admission);
}

TEST(DecodeWorkload, Evicted) {
  // Only some evictions send it to the end of the queue; all of them take its admission.
  const char* admission =
      "admission: {clusterQueue: cq, podSetAssignments: [{name: main, count: 2}]}";
  for (auto [reason, queued] : {std::pair("PodsReadyTimeout", 9), std::pair("Preempted", 1)}) {
    Reading reading = read_workload(
        "", std::string("{conditions: [{type: Evicted, status: \"True\", reason: ") + reason +
                ", lastTransitionTime: \"1970-01-01T00:00:09Z\"}], " + admission + "}");
    EXPECT_EQ(reading.diagnostics(), Names{});
    EXPECT_EQ(reading.workload("wl")->queued, queued * kSecondUs) << reason;
    EXPECT_FALSE(reading.workload("wl")->admission) << reason;
  }
}

TEST(DecodeWorkload, Admitted) {
  Reading reading = read_workload("", R"(
  conditions:
  - {type: QuotaReserved, status: "True", lastTransitionTime: "1970-01-01T00:00:05Z"}
  - {type: PodsReady, status: "True", lastTransitionTime: "1970-01-01T00:00:07Z"}
  admission:
    clusterQueue: cq
    podSetAssignments:
    - name: main
      count: 2
      flavors: {cpu: g}
      resourceUsage: {cpu: 2}
      topologyAssignment: {levels: [kubernetes.io/hostname], domains: [{values: [gone], count: 2}]}
  reclaimablePods: [{name: main, count: 1}]
  unhealthyNodes: [{name: gone}])");
  EXPECT_EQ(reading.diagnostics(), Names{});
  const Workload& workload = *reading.workload("wl");
  ASSERT_TRUE(workload.admission);
  EXPECT_EQ(workload.admission->reserved_at, 5 * kSecondUs);
  EXPECT_EQ(workload.pods_ready, PodsReady::Ready);
  EXPECT_EQ(workload.pods_ready_since, 7 * kSecondUs);
  EXPECT_TRUE(workload.ever_ready);
  EXPECT_EQ(workload.unhealthy_nodes, Names{"gone"});
  EXPECT_EQ(workload.reclaimable.at(0).second, 1);
  const PodSetAdmission& set = workload.admission->pod_sets.at(0);
  EXPECT_EQ(set.usage.get(kCpu), 2000);
  ASSERT_TRUE(set.topology);
  EXPECT_EQ(reading.text(set.topology->values.at(0)), "gone");
  // The check is for another flavor than the one it got.
  EXPECT_FALSE(workload.checks_pending);
}

TEST(DecodeWorkload, ChecksArePendingUntilTheyAreReady) {
  EXPECT_TRUE(read_workload("").workload("wl")->checks_pending);
  EXPECT_TRUE(read_workload("", "{admissionChecks: [{name: check, state: Retry}]}")
                  .workload("wl")
                  ->checks_pending);
  EXPECT_FALSE(read_workload("", "{admissionChecks: [{name: check, state: Ready}]}")
                   .workload("wl")
                   ->checks_pending);
}

TEST(DecodeWorkload, Priority) {
  const char* classes = R"(
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: WorkloadPriorityClass
metadata: {name: high}
value: 1000
---
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: high}
value: 7
)";
  auto priority = [&](const std::string& spec) {
    std::string text = kQueues + std::string(R"(
apiVersion: kueue.x-k8s.io/v1beta2
kind: Workload
metadata: {name: wl}
spec:
  podSets: [{template: {spec: {containers: [{name: c}]}}}]
)") + "  " + spec + classes;
    Reading whole = read(text);
    EXPECT_EQ(whole.diagnostics(), Names{});
    return whole.workload("wl")->priority;
  };
  EXPECT_EQ(priority("priority: 3"), 3);
  EXPECT_EQ(priority("priorityClassRef: {kind: WorkloadPriorityClass, name: high}"), 1000);
  EXPECT_EQ(priority("priorityClassRef: {kind: PriorityClass, name: high}"), 7);
  EXPECT_EQ(priority("priorityClassName: high"), 1000);
}

TEST(DecodeWorkload, ABrokenOneWaitsAndSaysWhy) {
  Reading reading = read_workload("priority: much");
  ASSERT_EQ(reading.diagnostics().size(), 1U);
  const Workload& workload = *reading.workload("wl");
  ASSERT_EQ(workload.errors.size(), 1U);
  EXPECT_EQ(workload.errors[0].code, ReasonCode::Misconfigured);
  EXPECT_EQ(workload.errors[0].subject, "$.spec.priority: found \"much\", expected a whole number");
}

// Only this program writes promises: one that cannot be read is none, and no error.
TEST(DecodeWorkload, APromiseOfUnknownPodSetsIsNone) {
  Reading reading = read(kQueues + std::string(R"(
apiVersion: kueue.x-k8s.io/v1beta2
kind: Workload
metadata:
  name: wl
  annotations:
    trellis.scheduler/promised-admission: '{"clusterQueue":"cq","podSetAssignments":[{"name":"z"}]}'
spec:
  queueName: lq
  podSets: [{name: main, count: 2, template: {spec: {containers: [{name: c}]}}}]
)"));
  EXPECT_EQ(reading.diagnostics(), Names{});
  EXPECT_FALSE(reading.workload("wl")->promised.has_value());
}

TEST(DecodeWorkload, AnUnknownQueueIsWorthAWarning) {
  Reading reading = read(kQueues + std::string(R"(
apiVersion: kueue.x-k8s.io/v1beta2
kind: Workload
metadata: {name: wl}
spec: {queueName: lr, podSets: [{template: {spec: {containers: [{name: c}]}}}]}
)"));
  EXPECT_EQ(reading.diagnostics(),
            Names{"in.yaml:16: warning: doc 3: $.spec.queueName: found the queue \"lr\", which is "
                  "not in the input, expected the name of a LocalQueue in namespace \"default\" "
                  "(the workload waits); did you mean \"lq\"?"});
  EXPECT_TRUE(reading.workload("wl")->errors.empty());
}

}  // namespace
}  // namespace trellis::test::decode_workload_test
