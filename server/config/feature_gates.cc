#include "server/config/feature_gates.h"

#include <algorithm>
#include <span>
#include <string>
#include <string_view>

#include "server/text/nearest_word.h"

namespace trellis {
namespace {

// The gates that session/placement/kueue_answer.cc reads.
constexpr std::string_view kHeeded[] = {"TASBalancedPlacement", "TASProfileMixed",
                                        "TASRespectNodeAffinityPreferred"};
// Kueue's other gates: here what they switch is always on, or always off.
constexpr std::string_view kOthers[] = {
    "AdmissionFairSharing",
    "ConcurrentAdmission",
    "ElasticJobsViaWorkloadSlices",
    "ElasticJobsViaWorkloadSlicesWithTAS",
    "FairSharingPreemptWithinNominal",
    "FairSharingPrioritizeNonBorrowing",
    "FlavorFungibility",
    "FlavorFungibilityImplicitPreferenceDefault",
    "FlavorFungibilityPreserveScanProgress",
    "HierarchicalCohorts",
    "LendingLimit",
    "LocalQueueDefaulting",
    "LocalQueueMetrics",
    "ManagedJobsNamespaceSelector",
    "ManagedJobsNamespaceSelectorAlwaysRespected",
    "MultiKueue",
    "MultiKueueBatchJobWithManagedBy",
    "MultiKueueOrchestratedPreemption",
    "ObjectRetentionPolicies",
    "PartialAdmission",
    "PrioritizePreemptorWorkloads",
    "PriorityBoost",
    "PrioritySortingWithinCohort",
    "QueueVisibility",
    "ReclaimablePods",
    "RecomputeAssignmentUponPreemptionTargetsOverlap",
    "SanitizePodSets",
    "SchedulerLibraryIntegration",
    "SchedulingEquivalenceHashing",
    "SkipReassignmentForPodOwnedWorkloads",
    "TASAssignmentsEncodingByHostnamePrefix",
    "TASCacheNodeMatchResults",
    "TASCacheTopologyTree",
    "TASCachingRemainingResources",
    "TASFailedNodeReplacement",
    "TASFailedNodeReplacementFailFast",
    "TASHandleOverlappingFlavors",
    "TASMultiLayerTopology",
    "TASRecomputeAssignmentWithinSchedulingCycle",
    "TASReplaceNodeOnNodeTaints",
    "TASReplaceNodeOnPodTermination",
    "TASValidateWorkloadSliceSize",
    "TopologyAwareScheduling",
};

bool names(std::span<const std::string_view> gates, std::string_view gate) {
  return std::find(gates.begin(), gates.end(), gate) != gates.end();
}

}  // namespace

void warn_of_feature_gates(Value gates, PlacementProfile profile, ConfigFields::Report& report) {
  for (Value::Member gate : gates.members()) {
    std::string name = "feature gate " + in_quotes(gate.key);
    bool heeded = names(kHeeded, gate.key);
    if (heeded && profile == PlacementProfile::Kueue) continue;
    if (heeded) {
      ConfigFields::warn(report, gate.value,
                         name + " has no effect without placementProfile: kueue");
    } else if (names(kOthers, gate.key)) {
      ConfigFields::warn(report, gate.value, name + " has no effect here");
    } else {
      ConfigFields::warn(report, gate.value, "unknown " + name + ", which has no effect",
                         nearest_word(gate.key, kHeeded));
    }
  }
}

}  // namespace trellis
