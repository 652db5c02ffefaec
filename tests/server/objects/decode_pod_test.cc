#include "server/objects/decode_pod.h"

#include <gtest/gtest.h>

#include "tests/server/manifest/reading.h"

namespace trellis::test::decode_pod_test {
namespace {

// A pod p with these members beside what it must have.
Reading pod(const std::string& metadata, const std::string& spec, const std::string& status,
            const ReadOptions& options = {}) {
  return read("{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\"" + metadata +
                  "},\"spec\":{\"containers\":[]" + spec + "},\"status\":{" + status + "}}",
              "in.json", options);
}

PodStatus status_of(const std::string& metadata, const std::string& spec,
                    const std::string& status) {
  return pod(metadata, spec, status).pod("p")->pod.status;
}

TEST(DecodePod, Status) {
  std::string on_node = R"(,"nodeName":"n")";
  std::string deleted = R"(,"deletionTimestamp":"2026-01-01T00:00:00Z")";
  EXPECT_EQ(status_of("", "", ""), PodStatus::Pending);
  EXPECT_EQ(status_of("", "", R"("phase":"Pending")"), PodStatus::Pending);
  EXPECT_EQ(status_of("", on_node, R"("phase":"Pending")"), PodStatus::Bound);
  EXPECT_EQ(status_of("", on_node, ""), PodStatus::Bound);
  EXPECT_EQ(status_of("", on_node, R"("phase":"Running")"), PodStatus::Running);
  EXPECT_EQ(status_of("", on_node, R"("phase":"Unknown")"), PodStatus::Running);
  EXPECT_EQ(status_of("", on_node, R"("phase":"Succeeded")"), PodStatus::Succeeded);
  EXPECT_EQ(status_of("", on_node, R"("phase":"Failed")"), PodStatus::Failed);
  EXPECT_EQ(status_of(deleted, on_node, R"("phase":"Running")"), PodStatus::Releasing);
  EXPECT_EQ(status_of(deleted, on_node, R"("phase":"Succeeded")"), PodStatus::Succeeded);
  EXPECT_EQ(
      pod("", "", R"("phase":"Running")").diagnostics(),
      std::vector<std::string>{"in.json:1: doc 1: $.status.phase: found a running pod without "
                               "spec.nodeName, expected the node it runs on"});
}

TEST(DecodePod, Holds) {
  const std::vector<std::string> trellis = {"trellis", "kai-scheduler"};
  std::string gates = R"(,"schedulingGates":[{"name":"g"}])";
  std::string ours = R"(,"schedulerName":"kai-scheduler")";
  auto hold = [](Reading reading, const std::vector<std::string>& names = {}) {
    apply_settings({.scheduler_names = names}, reading.vocabulary->strings,
                   reading.manifest.objects);
    return reading.pod("p")->pod.hold;
  };
  EXPECT_EQ(hold(pod("", "", "")), PodHold::None);
  EXPECT_EQ(hold(pod("", gates, "")), PodHold::SchedulingGates);
  EXPECT_EQ(hold(pod("", R"(,"schedulingGates":[])", "")), PodHold::None);
  EXPECT_EQ(hold(pod("", "", ""), trellis), PodHold::OtherScheduler);
  EXPECT_EQ(hold(pod("", ours, ""), trellis), PodHold::None);
  EXPECT_EQ(hold(pod("", ours + gates, ""), trellis), PodHold::SchedulingGates);
  EXPECT_EQ(hold(pod("", gates, ""), trellis), PodHold::OtherScheduler);
}

TEST(DecodePod, LabelsThatMeanSomething) {
  Reading reading = pod(
      R"(,"uid":"u-1","labels":{"kai.scheduler/task-priority":"-7","kai.scheduler/subgroup-name":"a",
      "runai-gpu-group":"g2","runai-gpu-group/g1":"x","batch.kubernetes.io/job-completion-index":"3"},
      "finalizers":["example.com/x"],"creationTimestamp":"2026-01-01T00:00:00Z")",
      "", R"("startTime":"2026-01-01T00:01:00Z")");
  const Pod& read = reading.pod("p")->pod;
  EXPECT_EQ(read.uid, "u-1");
  EXPECT_EQ(read.order_priority, -7);
  EXPECT_FALSE(read.subgroup.valid());  // its gang has none: see link_subgroups_test.cc
  ASSERT_EQ(read.gpu_groups.size(), 2U);
  EXPECT_EQ(reading.text(read.gpu_groups[0]), "g1");
  EXPECT_EQ(reading.text(read.gpu_groups[1]), "g2");
  EXPECT_EQ(read.completion_index, 3);
  EXPECT_TRUE(read.finalizer);
  EXPECT_EQ(read.started - read.created, 60 * kSecondUs);
  EXPECT_EQ(reading.manifest.newest_timestamp, read.started);
  EXPECT_EQ(read.labels.size(), 5U);
}

TEST(DecodePod, Leaders) {
  for (const char* label :
       {R"("training.kubeflow.org/job-role":"master")",
        R"("training.kubeflow.org/replica-type":"launcher")", R"("ray.io/node-type":"head")",
        R"("leaderworkerset.sigs.k8s.io/worker-index":"0")"}) {
    EXPECT_TRUE(pod(",\"labels\":{" + std::string(label) + "}", "", "").pod("p")->pod.leader)
        << label;
  }
  EXPECT_FALSE(pod(R"(,"labels":{"ray.io/node-type":"worker"})", "", "").pod("p")->pod.leader);
}

TEST(DecodePod, HostPorts) {
  Reading reading = read(R"(
apiVersion: v1
kind: Pod
metadata: {name: p}
spec:
  containers:
  - {name: a, ports: [{containerPort: 80}, {containerPort: 81, hostPort: 8081},
                      {containerPort: 82, hostPort: 8082, protocol: UDP, hostIP: 10.0.0.1}]}
  - {name: b, ports: [{containerPort: 81, hostPort: 8081}]}
---
apiVersion: v1
kind: Pod
metadata: {name: q}
spec:
  hostNetwork: true
  containers:
  - {name: a, ports: [{containerPort: 80}]}
)");
  const std::vector<HostPort>& ports = reading.pod("p")->spec->host_ports;
  ASSERT_EQ(ports.size(), 2U);
  const HostPort& udp = ports[0].port == 8082 ? ports[0] : ports[1];
  EXPECT_EQ(reading.text(udp.protocol), "UDP");
  EXPECT_EQ(reading.text(udp.address), "10.0.0.1");
  ASSERT_EQ(reading.pod("q")->spec->host_ports.size(), 1U);
  EXPECT_EQ(reading.pod("q")->spec->host_ports[0].port, 80);
  EXPECT_EQ(reading.text(reading.pod("q")->spec->host_ports[0].address), "0.0.0.0");
}

TEST(DecodePod, EqualDemandsAreEqual) {
  Reading reading = read(R"(
apiVersion: v1
kind: Pod
metadata: {name: a}
spec:
  nodeSelector: {x: "1", y: "2"}
  tolerations: [{key: t, operator: Exists}, {key: s, value: v, effect: NoSchedule}]
  containers: [{name: c, resources: {requests: {memory: 1Gi, cpu: 1}}}]
---
apiVersion: v1
kind: Pod
metadata: {name: b, labels: {other: label}}
spec:
  tolerations: [{key: s, value: v, effect: NoSchedule}, {key: t, operator: Exists}]
  nodeSelector: {y: "2", x: "1"}
  containers: [{name: c, resources: {requests: {cpu: 1000m, memory: 1024Mi}}}]
)");
  EXPECT_EQ(reading.diagnostics(), std::vector<std::string>{});
  EXPECT_TRUE(reading.pod("a")->spec == reading.pod("b")->spec);
}

}  // namespace
}  // namespace trellis::test::decode_pod_test
