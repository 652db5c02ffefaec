#include "actions/workloads/node_replacement.h"

#include <gtest/gtest.h>

#include <string>

#include "server/engine/engine.h"
#include "server/manifest/manifest.h"

namespace trellis::node_replacement_test {
namespace {

// One admitted workload on a node with a taint.
std::string hall_with(const std::string& taint) {
  return R"(
apiVersion: kueue.x-k8s.io/v1beta2
kind: Topology
metadata: {name: hall}
spec: {levels: [{nodeLabel: kubernetes.io/hostname}]}
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
metadata: {name: n1, labels: {pool: tas, kubernetes.io/hostname: n1}}
spec: {taints: [{key: )" +
         taint + R"(, effect: NoSchedule}]}
status: {allocatable: {cpu: "8", pods: "20"}}
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: Workload
metadata: {name: wl, namespace: default}
spec:
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
)";
}

bool may_have_lost_slots_on(const std::string& taint) {
  Engine engine({});
  Manifest manifest = read_manifest_text("in.yaml", hall_with(taint), engine.vocabulary());
  EXPECT_FALSE(manifest.has_errors());
  engine.cluster().add(std::move(manifest.objects));
  WorkloadId id = engine.cluster().workloads().workloads().find("default/wl");
  Session& session = engine.scheduler().open(0);
  EXPECT_FALSE(session.snapshot().workloads().slots().nodes(id).empty());
  return may_have_lost_slots(session, id);
}

TEST(NodeReplacement, ATaintThatIsToleratedTakesNoSlots) {
  EXPECT_FALSE(may_have_lost_slots_on("gpu"));
  EXPECT_TRUE(may_have_lost_slots_on("quiet"));
}

}  // namespace
}  // namespace trellis::node_replacement_test
