#include "server/writeback/workload_saver.h"

#include <gtest/gtest.h>

#include <set>
#include <sstream>
#include <string>

#include "server/engine/engine.h"
#include "server/writeback/save.h"
#include "server/writeback/started_owners.h"

namespace trellis::workload_saver_test {
namespace {

constexpr TimeUs kNow = 1'767'268'800 * kSecondUs;  // 2026-01-01T12:00:00Z

constexpr const char* kHall = R"(
apiVersion: kueue.x-k8s.io/v1beta2
kind: Topology
metadata: {name: hall}
spec: {levels: [{nodeLabel: rack}, {nodeLabel: kubernetes.io/hostname}]}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: tas}
spec:
  nodeLabels: {pool: tas}
  tolerations: [{key: gpu, operator: Exists, effect: NoSchedule}]
  topologyName: hall
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: cq}
spec:
  namespaceSelector: {}
  resourceGroups:
  - coveredResources: [cpu]
    flavors: [{name: tas, resources: [{name: cpu, nominalQuota: 4}]}]
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: lq, namespace: default}
spec: {clusterQueue: cq}
---
apiVersion: v1
kind: Node
metadata: {name: n1, labels: {pool: tas, rack: r1, kubernetes.io/hostname: n1}}
spec: {taints: [{key: gpu, effect: NoSchedule}]}
status:
  allocatable: {cpu: "8", memory: 8Gi, pods: "20"}
  conditions: [{type: Ready, status: "True"}]
---
)";

constexpr const char* kOwner = R"(
apiVersion: batch/v1
kind: Job
metadata: {name: train, namespace: default, labels: {kueue.x-k8s.io/queue-name: lq}}
spec:
  parallelism: 2
  suspend: true
  template:
    metadata: {annotations: {kueue.x-k8s.io/podset-required-topology: rack}}
    spec: {containers: [{name: c, resources: {requests: {cpu: "1"}}}]}
---
)";

std::string admitted_workload(const std::string& active) {
  return R"(
apiVersion: kueue.x-k8s.io/v1beta1
kind: Workload
metadata: {name: wl, namespace: default, ownerReferences: [{apiVersion: batch/v1, kind: Job, name: train}]}
spec:
  active: )" +
         active + R"(
  queueName: lq
  podSets: [{name: main, count: 2, template: {spec: {containers: [{name: c, resources: {requests: {cpu: "1"}}}]}}}]
status:
  conditions:
  - {type: QuotaReserved, status: "True", lastTransitionTime: "2026-01-01T00:00:00Z"}
  - {type: Admitted, status: "True", lastTransitionTime: "2026-01-01T00:00:00Z"}
  admission:
    clusterQueue: cq
    podSetAssignments:
    - name: main
      count: 2
      flavors: {cpu: tas}
      resourceUsage: {cpu: "2"}
      topologyAssignment: {levels: [kubernetes.io/hostname], domains: [{values: [n1], count: 2}]}
---
)";
}

bool is_broken(const std::string& text) {
  return text.find("podSets: [5]") != std::string::npos ||
         text.find("requeueState: soon") != std::string::npos;
}

// Reads, runs so many cycles, and saves.
std::string save_after(const std::string& text, int64_t cycles) {
  Engine engine({});
  Manifest manifest = read_manifest_text(text[0] == '{' ? "in.jsonl" : "in.yaml", text,
                                         engine.vocabulary(), {.keep_raw = true});
  EXPECT_EQ(manifest.has_errors(), is_broken(text));
  engine.cluster().add(std::move(manifest.objects));
  SavedWorkloads workloads{manifest.workload_owners, &engine.workload_notes()};
  engine.run(kNow, cycles, [&](const CycleRecord& record) {
    start_owners(engine.cluster(), record, {manifest.raw, workloads, {}});
  });
  engine.pass_time();
  StringSink sink;
  save_objects(sink, manifest.raw, engine.cluster(), engine.notes(), kNow, workloads);
  return sink.text();
}

Json saved_object(const std::string& lines, const std::string& kind) {
  size_t begin = 0;
  while (begin < lines.size()) {
    size_t end = lines.find('\n', begin);
    Json object = Json::parse(lines.substr(begin, end - begin));
    if (object["kind"] == kind) return object;
    begin = end + 1;
  }
  return {};
}

Json condition(const Json& workload, const std::string& type) {
  for (const Json& found : workload["status"]["conditions"]) {
    if (found["type"] == type) return found;
  }
  return {};
}

TEST(WorkloadSaver, AnAdmittedOwnerStartsWithWhatItsFlavorGives) {
  Json owner = saved_object(save_after(std::string(kHall) + kOwner, 1), "Job");
  EXPECT_EQ(owner["spec"]["suspend"], false);
  Json made = owner["spec"]["template"];
  EXPECT_EQ(made["metadata"]["labels"]["kueue.x-k8s.io/podset"], "main");
  EXPECT_TRUE(made["metadata"]["annotations"].contains("kueue.x-k8s.io/workload"));
  EXPECT_EQ(made["spec"]["nodeSelector"], Json::parse(R"({"pool":"tas"})"));
  EXPECT_EQ(made["spec"]["schedulingGates"],
            Json::parse(R"([{"name":"kueue.x-k8s.io/topology"}])"));
  EXPECT_EQ(made["spec"]["tolerations"],
            Json::parse(R"([{"key":"gpu","operator":"Exists","effect":"NoSchedule"}])"));
}

TEST(WorkloadSaver, AMadeWorkloadIsWrittenWithItsAdmissionAndOwner) {
  Json workload = saved_object(save_after(std::string(kHall) + kOwner, 1), "Workload");
  EXPECT_EQ(workload["metadata"]["ownerReferences"][0]["name"], "train");
  EXPECT_EQ(workload["spec"]["podSets"][0]["topologyRequest"]["required"], "rack");
  EXPECT_EQ(condition(workload, "QuotaReserved")["status"], "True");
  EXPECT_EQ(condition(workload, "Admitted")["lastTransitionTime"], "2026-01-01T12:00:00Z");
  Json set = workload["status"]["admission"]["podSetAssignments"][0];
  EXPECT_EQ(set["resourceUsage"], Json::parse(R"({"cpu":"2"})"));
  EXPECT_TRUE(set["topologyAssignment"].contains("slices"));
}

TEST(WorkloadSaver, PodsInTheirSlotsAreUngatedAndPinned) {
  std::string lines = save_after(std::string(kHall) + kOwner, 2);
  Json pod = saved_object(lines, "Pod");
  EXPECT_EQ(pod["spec"]["nodeName"], "n1");
  EXPECT_FALSE(pod["spec"].contains("schedulingGates"));
  EXPECT_EQ(pod["spec"]["nodeSelector"],
            Json::parse(R"({"pool":"tas","kubernetes.io/hostname":"n1"})"));
}

std::multiset<std::string> lines_of(const std::string& text) {
  std::istringstream in(text);
  std::multiset<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.insert(line);
  return lines;
}

TEST(WorkloadSaver, ReadAgainWhatStandsIsWrittenAsItWas) {
  std::string once = save_after(std::string(kHall) + kOwner, 2);
  EXPECT_EQ(lines_of(save_after(once, 1)), lines_of(once));
}

TEST(WorkloadSaver, TheFormOfAnAssignmentFollowsTheVersion) {
  Json workload = saved_object(
      save_after(kHall + std::string(kOwner) + admitted_workload("true"), 1), "Workload");
  Json set = workload["status"]["admission"]["podSetAssignments"][0];
  EXPECT_TRUE(set["topologyAssignment"].contains("domains"));
  EXPECT_EQ(condition(workload, "Admitted")["lastTransitionTime"], "2026-01-01T00:00:00Z");
}

TEST(WorkloadSaver, AnEvictedWorkloadSuspendsItsOwner) {
  std::string owner(kOwner);
  owner.replace(owner.find("suspend: true"), 13, "suspend: false");
  owner.replace(owner.find("spec: {containers"), 17,
                "spec: {nodeSelector: {pool: tas}, schedulingGates: [{name: "
                "kueue.x-k8s.io/topology}], containers");
  std::string lines = save_after(kHall + owner + admitted_workload("false"), 1);
  Json workload = saved_object(lines, "Workload");
  EXPECT_FALSE(workload["status"].contains("admission"));
  EXPECT_EQ(condition(workload, "Evicted")["reason"], "Deactivated");
  EXPECT_EQ(condition(workload, "QuotaReserved")["status"], "False");
  EXPECT_EQ(condition(workload, "Admitted")["reason"], "NoReservation");
  Json spec = saved_object(lines, "Job")["spec"];
  EXPECT_EQ(spec["suspend"], true);
  EXPECT_FALSE(spec["template"]["spec"].contains("nodeSelector"));
  EXPECT_FALSE(spec["template"]["spec"].contains("schedulingGates"));
}

TEST(WorkloadSaver, AWorkloadThatIsNotUnderstoodLeavesItsOwnerAsItIs) {
  std::string owner(kOwner);
  owner.replace(owner.find("suspend: true"), 13, "suspend: false");
  std::string workload = admitted_workload("true");
  size_t sets = workload.find("podSets: [{");
  workload.replace(sets, workload.find('\n', sets) - sets, "podSets: [5]");
  std::string lines = save_after(kHall + owner + workload, 1);
  EXPECT_EQ(saved_object(lines, "Job")["spec"]["suspend"], false);
  EXPECT_EQ(saved_object(lines, "Workload")["spec"]["podSets"], Json::parse("[5]"));
}

// A requeueState that is none goes with what it would have said.
TEST(WorkloadSaver, ARequeueStateThatIsNone) {
  std::string waiting = R"(
apiVersion: kueue.x-k8s.io/v1beta2
kind: Workload
metadata: {name: wl, namespace: default}
spec:
  queueName: nowhere
  podSets: [{name: main, count: 1, template: {spec: {containers: [{name: c}]}}}]
status:
  requeueState: soon
  conditions:
  - {type: Requeued, status: "False", reason: PodsReadyTimeout}
)";
  Json workload = saved_object(save_after(std::string(kHall) + waiting, 1), "Workload");
  EXPECT_FALSE(workload["status"].contains("requeueState"));
  EXPECT_EQ(condition(workload, "Requeued")["reason"], "BackoffFinished");
}

}  // namespace
}  // namespace trellis::workload_saver_test
