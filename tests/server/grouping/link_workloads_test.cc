#include "server/grouping/link_workloads.h"

#include <gtest/gtest.h>

#include "server/objects/workload_name.h"
#include "tests/server/manifest/reading.h"

namespace trellis::test::link_workloads_test {
namespace {

using Names = std::vector<std::string>;

constexpr const char* kQueue = R"(
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: lq}
spec: {clusterQueue: cq}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: cq}
---
)";

constexpr const char* kJob = R"(
apiVersion: batch/v1
kind: Job
metadata: {name: j, labels: {kueue.x-k8s.io/queue-name: lq}}
spec:
  parallelism: 2
  template: {spec: {containers: [{name: c}]}}
---
)";

std::string workload_of_job(const std::string& status) {
  return R"(
apiVersion: kueue.x-k8s.io/v1beta2
kind: Workload
metadata: {name: wl, ownerReferences: [{apiVersion: batch/v1, kind: Job, name: j}]}
spec: {queueName: lq, podSets: [{count: 2, template: {spec: {containers: [{name: c}]}}}]}
status: )" +
         status + "\n---\n";
}

Names workload_names(const Reading& reading) {
  Names names;
  for (const Workload& workload : reading.manifest.objects.workloads) {
    names.push_back(workload.name);
  }
  return names;
}

TEST(LinkWorkloads, AJobMakesOne) {
  Reading reading = read(kQueue + std::string(kJob));
  EXPECT_EQ(reading.diagnostics(), Names{});
  ASSERT_EQ(workload_names(reading).size(), 1U);
  EXPECT_EQ(workload_names(reading)[0].substr(0, 6), "job-j-");
  EXPECT_EQ(reading.pod_names(), Names{});
  ASSERT_EQ(reading.manifest.workload_owners.size(), 1U);
  EXPECT_EQ(reading.manifest.workload_owners[0].name, "j");
  EXPECT_TRUE(reading.manifest.workload_owners[0].made);
}

TEST(LinkWorkloads, WithoutQueuesTheLabelMeansNothing) {
  Reading reading = read(kJob);
  EXPECT_EQ(workload_names(reading), Names{});
  EXPECT_EQ(reading.pod_names(), (Names{"j-0", "j-1"}));
}

TEST(LinkWorkloads, TheNameIsKueues) {
  // sha1("Job\nbatch\nsample\n1234")
  EXPECT_EQ(workload_name({"batch", "Job", "sample", "1234"}), "job-sample-84fd7");
  EXPECT_EQ(workload_name({"batch", "Job", std::string(300, 'a'), ""}).size(), 253U);
}

TEST(LinkWorkloads, AJobGetsItsPodsWhenItsWorkloadIsAdmitted) {
  std::string job = kQueue + std::string(kJob);
  Reading waits = read(job + workload_of_job("{}"));
  EXPECT_EQ(workload_names(waits), Names{"wl"});
  EXPECT_EQ(waits.pod_names(), Names{});
  Reading runs = read(job + workload_of_job("{admission: {clusterQueue: cq, podSetAssignments: "
                                            "[{name: main, count: 2}]}}"));
  EXPECT_EQ(runs.diagnostics(), Names{});
  EXPECT_EQ(runs.pod_names(), (Names{"j-0", "j-1"}));
  EXPECT_EQ(runs.text(runs.pod("j-0")->pod.workload), "default/wl");
  EXPECT_EQ(runs.text(runs.pod("j-0")->pod.pod_set), "main");
}

TEST(LinkWorkloads, WhatRunsAlreadyIsLeftAlone) {
  Reading reading = read(kQueue + std::string(kJob) + R"(
apiVersion: v1
kind: Pod
metadata: {name: j-x, ownerReferences: [{apiVersion: batch/v1, kind: Job, name: j}]}
spec: {nodeName: n1, containers: [{name: c}]}
status: {phase: Running}
)");
  EXPECT_EQ(workload_names(reading), Names{});
  EXPECT_FALSE(reading.pod("j-x")->pod.workload.valid());
}

TEST(LinkWorkloads, PodsFindTheirWorkload) {
  std::string text = kQueue + std::string(R"(
apiVersion: kueue.x-k8s.io/v1beta2
kind: Workload
metadata: {name: wl}
spec:
  queueName: lq
  podSets:
  - {name: master, template: {spec: {containers: [{name: c}]}}}
  - {name: worker, count: 2, template: {spec: {containers: [{name: c}]}}}
---
apiVersion: v1
kind: Pod
metadata:
  name: by-label
  annotations: {kueue.x-k8s.io/workload: wl}
  labels: {kueue.x-k8s.io/podset: worker}
spec: {schedulingGates: [{name: kueue.x-k8s.io/topology}], containers: [{name: c}]}
---
apiVersion: v1
kind: Pod
metadata:
  name: by-role
  annotations: {kueue.x-k8s.io/workload: wl}
  labels: {training.kubeflow.org/replica-type: master}
spec:
  schedulingGates: [{name: kueue.x-k8s.io/topology}, {name: example.com/other}]
  containers: [{name: c}]
---
apiVersion: v1
kind: Pod
metadata: {name: of-another, annotations: {kueue.x-k8s.io/workload: absent}}
spec: {containers: [{name: c}]}
)");
  Reading reading = read(text);
  EXPECT_EQ(reading.diagnostics(), Names{});
  auto set = [&](std::string_view pod) { return reading.text(reading.pod(pod)->pod.pod_set); };
  EXPECT_EQ(set("by-label"), "worker");
  EXPECT_EQ(set("by-role"), "master");
  EXPECT_EQ(reading.pod("by-label")->pod.hold, PodHold::Workload);
  EXPECT_EQ(reading.pod("by-role")->pod.hold, PodHold::SchedulingGates);
  EXPECT_FALSE(reading.pod("of-another")->pod.workload.valid());
}

std::string group_pod(const std::string& name, const std::string& cpu) {
  return R"(
apiVersion: v1
kind: Pod
metadata:
  name: )" +
         name + R"(
  labels: {kueue.x-k8s.io/queue-name: lq, kueue.x-k8s.io/pod-group-name: g}
  annotations: {kueue.x-k8s.io/pod-group-total-count: "3"}
spec:
  schedulingGates: [{name: kueue.x-k8s.io/admission}]
  containers: [{name: c, resources: {requests: {cpu: )" +
         cpu + R"(}}}]
---
)";
}

TEST(LinkWorkloads, AGroupOfPodsIsOneWorkload) {
  std::string two = kQueue + group_pod("a", "1") + group_pod("b", "2");
  Reading short_of_one = read(two);
  ASSERT_EQ(workload_names(short_of_one), Names{"g"});
  EXPECT_EQ(short_of_one.workload("g")->errors.at(0).code, ReasonCode::NotEnoughPods);
  Reading reading = read(two + group_pod("c", "2"));
  EXPECT_EQ(reading.diagnostics(), Names{});
  const Workload& workload = *reading.workload("g");
  EXPECT_TRUE(workload.errors.empty());
  ASSERT_EQ(workload.pod_sets.size(), 2U);
  EXPECT_EQ(workload.pod_sets[0].count + workload.pod_sets[1].count, 3);
  EXPECT_EQ(reading.pod("b")->pod.pod_set, reading.pod("c")->pod.pod_set);
  EXPECT_NE(reading.pod("a")->pod.pod_set, reading.pod("b")->pod.pod_set);
}

TEST(LinkWorkloads, AllOwnersEndBeforeItHasFinished) {
  auto group = [](const std::string& second) {
    return read(std::string(kQueue) + R"(
apiVersion: v1
kind: Pod
metadata: {name: p1, uid: u1}
spec: {containers: [{name: c}]}
status: {phase: Succeeded}
---
apiVersion: v1
kind: Pod
metadata: {name: p2, uid: u2}
spec: {containers: [{name: c}]}
status: {phase: )" +
                second + R"(}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: Workload
metadata:
  name: wl
  ownerReferences:
  - {apiVersion: v1, kind: Pod, name: p1, uid: u1}
  - {apiVersion: v1, kind: Pod, name: p2, uid: u2}
spec:
  queueName: lq
  podSets: [{name: main, count: 2, template: {spec: {containers: [{name: c}]}}}]
)");
  };
  EXPECT_FALSE(group("Pending").workload("wl")->finished);
  EXPECT_TRUE(group("Succeeded").workload("wl")->finished);
  EXPECT_FALSE(group("Succeeded").workload("wl")->failed);
  EXPECT_TRUE(group("Failed").workload("wl")->failed);
}

TEST(LinkWorkloads, AReplicaIsASliceOfItsReplicatedJob) {
  Reading reading = read(kQueue + std::string(R"(
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: s, labels: {kueue.x-k8s.io/queue-name: lq}}
spec:
  replicatedJobs:
  - name: workers
    replicas: 3
    template:
      spec:
        parallelism: 4
        template:
          metadata: {annotations: {kueue.x-k8s.io/podset-slice-required-topology: example.com/rack}}
          spec: {containers: [{name: c}]}
)"));
  EXPECT_EQ(reading.diagnostics(), Names{});
  const Workload& workload = reading.manifest.objects.workloads.at(0);
  const PodSet& set = workload.pod_sets.at(0);
  EXPECT_EQ(set.count, 12);
  ASSERT_EQ(set.topology.segments.size(), 1U);
  EXPECT_EQ(set.topology.segments[0].size, 4);
  EXPECT_EQ(set.topology.sub_groups, 3);
  EXPECT_EQ(reading.text(set.topology.sub_group_label), "jobset.sigs.k8s.io/job-index");
}

TEST(LinkWorkloads, TheProposalsKeysOnTheJob) {
  Reading reading = read(kQueue + std::string(R"(
apiVersion: batch/v1
kind: Job
metadata:
  name: j
  labels: {kueue.x-k8s.io/queue-name: lq}
  annotations: {kueue.x-k8s.io/prefer-topology: auto}
spec: {template: {spec: {containers: [{name: c}]}}}
)"));
  EXPECT_EQ(reading.diagnostics(), Names{});
  const Workload& workload = reading.manifest.objects.workloads.at(0);
  EXPECT_EQ(reading.text(workload.pod_sets.at(0).topology.preferred), "auto");
}

}  // namespace
}  // namespace trellis::test::link_workloads_test
