// A live cluster with a quota of four CPUs, and a Job that goes through it.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "server/document/json_objects.h"
#include "tests/server/kube/status/live_world.h"

namespace trellis::test {

inline std::string node(const std::string& name, const std::string& rack) {
  return "apiVersion: v1\nkind: Node\nmetadata: {name: " + name +
         ", labels: {pool: gold, rack: " + rack + ", kubernetes.io/hostname: " + name +
         "}}\nstatus: {allocatable: {cpu: '2', memory: 64Gi, pods: '110'}}\n---\n";
}

inline constexpr const char* kQuota = R"(
apiVersion: kueue.x-k8s.io/v1beta2
kind: Topology
metadata: {name: hall}
spec: {levels: [{nodeLabel: rack}, {nodeLabel: kubernetes.io/hostname}]}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: gold}
spec: {nodeLabels: {pool: gold}, topologyName: hall}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: cq}
spec:
  namespaceSelector: {}
  resourceGroups:
  - coveredResources: [cpu]
    flavors: [{name: gold, resources: [{name: cpu, nominalQuota: '4'}]}]
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: lq, namespace: default}
spec: {clusterQueue: cq}
---
)";

// Two pods of two CPUs, in one rack.
inline constexpr const char* kJob = R"(
apiVersion: batch/v1
kind: Job
metadata: {name: train, namespace: default, labels: {kueue.x-k8s.io/queue-name: lq}}
spec:
  suspend: true
  parallelism: 2
  completions: 2
  template:
    metadata: {annotations: {kueue.x-k8s.io/podset-required-topology: rack}}
    spec:
      restartPolicy: Never
      containers: [{name: c, resources: {requests: {cpu: '2'}}}]
---
)";

// As the controller of the Job makes it.
inline std::string pod_of_job(const std::string& name, const Json& job) {
  Json pod = {{"apiVersion", "v1"}, {"kind", "Pod"}};
  pod["metadata"] = job["spec"]["template"]["metadata"];
  pod["metadata"]["name"] = name;
  pod["metadata"]["namespace"] = "default";
  pod["metadata"]["ownerReferences"] = {{{"apiVersion", "batch/v1"},
                                         {"kind", "Job"},
                                         {"name", "train"},
                                         {"uid", "uid-train"},
                                         {"controller", true}}};
  pod["spec"] = job["spec"]["template"]["spec"];
  pod["status"] = {{"phase", "Pending"}};
  return one_line(pod);
}

// What is written until nothing more is, with cycles in between.
inline std::vector<std::string> settle(LiveWorld& world, StatusBook& book) {
  std::vector<std::string> all;
  int quiet = 0;
  for (int i = 0; i < 30 && quiet < 3; ++i) {
    world.cycle();
    std::vector<std::string> written = world.write(book);
    quiet = written.empty() ? quiet + 1 : 0;
    all.insert(all.end(), written.begin(), written.end());
  }
  EXPECT_GE(quiet, 3) << "it writes on and on";
  return all;
}

inline Json condition(const Json& object, const std::string& type) {
  for (const Json& one : object["status"]["conditions"]) {
    if (one["type"] == type) return one;
  }
  return nullptr;
}

inline std::string workload_name_in(const LiveWorld& world) {
  auto named = world.list("kueue.x-k8s.io", "Workload");
  if (named.size() != 1) return "";
  return named.begin()->first.substr(std::string("default/").size());
}

}  // namespace trellis::test
