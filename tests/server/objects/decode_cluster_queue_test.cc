#include <gtest/gtest.h>

#include "server/objects/decoders.h"
#include "tests/server/manifest/reading.h"

namespace trellis::test::decode_cluster_queue_test {
namespace {

using Names = std::vector<std::string>;

constexpr const char* kFlavor = R"(
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: f}
spec: {nodeLabels: {pool: a}}
---
)";

std::string with_flavor(const std::string& text) { return kFlavor + text; }

std::vector<ReasonCode> inactive(const Reading& reading, std::string_view name) {
  std::vector<ReasonCode> codes;
  for (const Reason& reason : reading.cluster_queue(name)->inactive) codes.push_back(reason.code);
  return codes;
}

TEST(DecodeClusterQueue, Everything) {
  Reading reading = read(with_flavor(R"(
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: q}
spec:
  cohortName: c
  queueingStrategy: StrictFIFO
  namespaceSelector: {matchLabels: {team: a}}
  flavorFungibility: {whenCanBorrow: TryNextFlavor, whenCanPreempt: MayStopSearch}
  preemption:
    withinClusterQueue: LowerOrNewerEqualPriority
    reclaimWithinCohort: LowerPriority
    borrowWithinCohort: {policy: LowerPriority, maxPriorityThreshold: -3}
  fairSharing: {weight: 500m}
  resourceGroups:
  - coveredResources: [cpu, memory]
    flavors:
    - name: f
      resources:
      - {name: cpu, nominalQuota: 1500m, borrowingLimit: 2, lendingLimit: 1}
      - {name: memory, nominalQuota: 1Gi}
)"));
  EXPECT_EQ(reading.diagnostics(), Names{});
  const ClusterQueue& queue = *reading.cluster_queue("q");
  EXPECT_EQ(reading.text(queue.cohort), "c");
  EXPECT_EQ(queue.queueing, QueueingStrategy::StrictFifo);
  EXPECT_FALSE(queue.name_spaces.nothing);
  EXPECT_EQ(queue.name_spaces.labels.size(), 1U);
  EXPECT_FALSE(queue.fungibility.borrow_before_next);
  EXPECT_TRUE(queue.fungibility.preempt_before_next);
  EXPECT_EQ(queue.preemption.within_queue, PreemptWithin::LowerOrNewerEqualPriority);
  EXPECT_EQ(queue.preemption.within_cohort, ReclaimWithin::LowerPriority);
  EXPECT_TRUE(queue.preemption.borrows);
  EXPECT_EQ(queue.preemption.max_borrow_priority, -3);
  EXPECT_EQ(queue.weight, 0.5);
  ASSERT_EQ(queue.groups.size(), 1U);
  const FlavorQuota& flavor = queue.groups[0].flavors.at(0);
  EXPECT_EQ(
      flavor.resources.at(0),
      (ResourceQuota{
          .resource = kCpu, .nominal = 1500, .borrowing_limit = 2000, .lending_limit = 1000}));
  EXPECT_EQ(flavor.resources.at(1).nominal, 1 << 30);
  EXPECT_FALSE(flavor.resources.at(1).borrowing_limit);
  EXPECT_TRUE(queue.inactive.empty());
}

TEST(DecodeClusterQueue, DefaultsAreKueues) {
  Reading reading = read(R"(
apiVersion: kueue.x-k8s.io/v1beta1
kind: ClusterQueue
metadata: {name: q}
spec: {cohort: old, flavorFungibility: {whenCanBorrow: Borrow, whenCanPreempt: Preempt}}
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: ClusterQueue
metadata: {name: r}
spec: {namespaceSelector: {}}
)");
  EXPECT_EQ(reading.diagnostics(), Names{});
  EXPECT_EQ(reading.text(reading.cluster_queue("q")->cohort), "old");
  EXPECT_TRUE(reading.cluster_queue("q")->fungibility.preempt_before_next);
  EXPECT_TRUE(reading.cluster_queue("q")->name_spaces.nothing);
  const ClusterQueue& queue = *reading.cluster_queue("r");
  EXPECT_FALSE(queue.name_spaces.nothing);
  EXPECT_TRUE(queue.fungibility.borrow_before_next);
  EXPECT_FALSE(queue.fungibility.preempt_before_next);
  EXPECT_EQ(queue.preemption, WorkloadPreemption{});
  EXPECT_EQ(queue.queueing, QueueingStrategy::BestEffortFifo);
}

TEST(DecodeClusterQueue, WhyOneIsInactive) {
  Reading reading = read(with_flavor(R"(
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: tas}
spec: {nodeLabels: {pool: b}, topologyName: absent}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: AdmissionCheck
metadata: {name: away}
spec: {controllerName: kueue.x-k8s.io/multikueue}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: stopped}
spec: {stopPolicy: Hold}
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: ClusterQueue
metadata: {name: manager}
spec: {admissionChecks: [away]}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: flavorless}
spec:
  resourceGroups:
  - coveredResources: [cpu]
    flavors:
    - {name: g, resources: [{name: cpu, nominalQuota: 1}]}
    - {name: tas, resources: [{name: cpu, nominalQuota: 1}]}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: circled}
spec: {cohortName: below}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: broken}
spec: {stopPolicy: Never}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: Cohort
metadata: {name: below}
spec: {parentName: b}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: Cohort
metadata: {name: b}
spec: {parentName: a}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: Cohort
metadata: {name: a}
spec: {parentName: b}
)"));
  using Codes = std::vector<ReasonCode>;
  EXPECT_EQ(inactive(reading, "stopped"), Codes{ReasonCode::ClusterQueueStopped});
  EXPECT_EQ(inactive(reading, "manager"), Codes{ReasonCode::MultiKueueManager});
  EXPECT_EQ(inactive(reading, "flavorless"),
            (Codes{ReasonCode::FlavorNotFound, ReasonCode::TopologyNotFound}));
  EXPECT_EQ(inactive(reading, "circled"), Codes{ReasonCode::CohortCycle});
  EXPECT_EQ(inactive(reading, "broken"), Codes{ReasonCode::Misconfigured});
  // The core never sees a circle.
  EXPECT_FALSE(reading.cohort("a")->parent.valid());
  EXPECT_FALSE(reading.cohort("b")->parent.valid());
  EXPECT_EQ(reading.text(reading.cohort("below")->parent), "b");
}

}  // namespace
}  // namespace trellis::test::decode_cluster_queue_test
