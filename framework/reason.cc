#include "framework/reason.h"

namespace trellis {
namespace {

// Of a node's refusal another node may be free, and who is not moved for a gang is in no gang's way
// once there are more nodes.
enum MoreNodes : uint8_t { kNodesDoNot, kNodesHelp };

struct Entry {
  std::string_view name;
  MoreNodes more_nodes = kNodesDoNot;
};

Entry entry_of(ReasonCode code) {
  switch (code) {
    case ReasonCode::None:
      return {"None", kNodesDoNot};
    case ReasonCode::InsufficientResource:
      return {"InsufficientResource", kNodesHelp};
    case ReasonCode::TooManyPods:
      return {"TooManyPods", kNodesHelp};
    case ReasonCode::NodeNotReady:
      return {"NodeNotReady", kNodesHelp};
    case ReasonCode::NodeUnschedulable:
      return {"NodeUnschedulable", kNodesHelp};
    case ReasonCode::UntoleratedTaint:
      return {"UntoleratedTaint", kNodesHelp};
    case ReasonCode::NodeSelectorMismatch:
      return {"NodeSelectorMismatch", kNodesHelp};
    case ReasonCode::NodeAffinityMismatch:
      return {"NodeAffinityMismatch", kNodesHelp};
    case ReasonCode::HostPortConflict:
      return {"HostPortConflict", kNodesHelp};
    case ReasonCode::InsufficientGpuShare:
      return {"InsufficientGpuShare", kNodesHelp};
    case ReasonCode::GpuMemoryUnknown:
      return {"GpuMemoryUnknown", kNodesHelp};
    case ReasonCode::OutsideDomain:
      return {"OutsideDomain", kNodesHelp};
    case ReasonCode::PodAffinityMismatch:
      return {"PodAffinityMismatch", kNodesHelp};
    case ReasonCode::PodAntiAffinityConflict:
      return {"PodAntiAffinityConflict", kNodesHelp};
    case ReasonCode::ExistingPodAntiAffinity:
      return {"ExistingPodAntiAffinity", kNodesHelp};
    case ReasonCode::TopologySpreadLabelMissing:
      return {"TopologySpreadLabelMissing", kNodesHelp};
    case ReasonCode::TopologySpreadSkew:
      return {"TopologySpreadSkew", kNodesHelp};
    case ReasonCode::InsufficientNumaZone:
      return {"InsufficientNumaZone", kNodesHelp};
    case ReasonCode::NumaZonesStale:
      return {"NumaZonesStale", kNodesHelp};
    case ReasonCode::NumaZoneNotShared:
      return {"NumaZoneNotShared", kNodesHelp};
    case ReasonCode::NoNumaZones:
      return {"NoNumaZones", kNodesHelp};
    case ReasonCode::TooManyPodsOfService:
      return {"TooManyPodsOfService", kNodesHelp};
    case ReasonCode::QueueNotFound:
      return {"QueueNotFound", kNodesDoNot};
    case ReasonCode::QueueNotLeaf:
      return {"QueueNotLeaf", kNodesDoNot};
    case ReasonCode::TopologyNotFound:
      return {"TopologyNotFound", kNodesDoNot};
    case ReasonCode::TopologyNotNamed:
      return {"TopologyNotNamed", kNodesDoNot};
    case ReasonCode::LevelUnknown:
      return {"LevelUnknown", kNodesDoNot};
    case ReasonCode::LevelOrder:
      return {"LevelOrder", kNodesDoNot};
    case ReasonCode::NotEnoughPods:
      return {"NotEnoughPods", kNodesDoNot};
    case ReasonCode::SchedulingGated:
      return {"SchedulingGated", kNodesDoNot};
    case ReasonCode::OtherScheduler:
      return {"OtherScheduler", kNodesDoNot};
    case ReasonCode::VolumeClaimNotFound:
      return {"VolumeClaimNotFound", kNodesDoNot};
    case ReasonCode::GangNotFound:
      return {"GangNotFound", kNodesDoNot};
    case ReasonCode::PlacementSkew:
      return {"PlacementSkew", kNodesHelp};
    case ReasonCode::NodesNoFit:
      return {"NodesNoFit", kNodesHelp};
    case ReasonCode::TopologyNoFit:
      return {"TopologyNoFit", kNodesHelp};
    case ReasonCode::SearchBudgetExhausted:
      return {"SearchBudgetExhausted", kNodesHelp};
    case ReasonCode::SubgroupUnknown:
      return {"SubgroupUnknown", kNodesDoNot};
    case ReasonCode::SubgroupTree:
      return {"SubgroupTree", kNodesDoNot};
    case ReasonCode::SubgroupLimit:
      return {"SubgroupLimit", kNodesDoNot};
    case ReasonCode::SegmentSizes:
      return {"SegmentSizes", kNodesDoNot};
    case ReasonCode::QueueOverLimit:
      return {"QueueOverLimit", kNodesDoNot};
    case ReasonCode::QueueOverQuota:
      return {"QueueOverQuota", kNodesDoNot};
    case ReasonCode::QueueOverFairShare:
      return {"QueueOverFairShare", kNodesHelp};
    case ReasonCode::ReservedForOther:
      return {"ReservedForOther", kNodesDoNot};
    case ReasonCode::InvalidObject:
      return {"InvalidObject", kNodesDoNot};
    case ReasonCode::StaleGang:
      return {"StaleGang", kNodesDoNot};
    case ReasonCode::WorkloadSlotsTaken:
      return {"WorkloadSlotsTaken", kNodesDoNot};
    case ReasonCode::ResourceClaimsNotSupported:
      return {"ResourceClaimsNotSupported", kNodesDoNot};
    case ReasonCode::GpuFractionBinderMissing:
      return {"GpuFractionBinderMissing", kNodesDoNot};
    case ReasonCode::WorkloadStarts:
      return {"WorkloadStarts", kNodesDoNot};
    case ReasonCode::WorkloadNotAdmitted:
      return {"WorkloadNotAdmitted", kNodesDoNot};
    case ReasonCode::NoMatchingFlavor:
      return {"NoMatchingFlavor", kNodesDoNot};
    case ReasonCode::WaitingForQuota:
      return {"WaitingForQuota", kNodesDoNot};
    case ReasonCode::ExceedsMaxQuota:
      return {"ExceedsMaxQuota", kNodesDoNot};
    case ReasonCode::TopologyPlacementFailed:
      return {"TopologyPlacementFailed", kNodesHelp};
    case ReasonCode::WaitingForPreemptedWorkloads:
      return {"WaitingForPreemptedWorkloads", kNodesDoNot};
    case ReasonCode::PendingDelayedTopologyRequests:
      return {"PendingDelayedTopologyRequests", kNodesDoNot};
    case ReasonCode::WaitingForPodsReady:
      return {"WaitingForPodsReady", kNodesDoNot};
    case ReasonCode::Misconfigured:
      return {"Misconfigured", kNodesDoNot};
    case ReasonCode::Suspended:
      return {"Suspended", kNodesDoNot};
    case ReasonCode::NamespaceMismatch:
      return {"NamespaceMismatch", kNodesDoNot};
    case ReasonCode::BehindHead:
      return {"BehindHead", kNodesDoNot};
    case ReasonCode::ClusterQueueInactive:
      return {"ClusterQueueInactive", kNodesDoNot};
    case ReasonCode::ClusterQueueStopped:
      return {"ClusterQueueStopped", kNodesDoNot};
    case ReasonCode::LocalQueueStopped:
      return {"LocalQueueStopped", kNodesDoNot};
    case ReasonCode::FlavorNotFound:
      return {"FlavorNotFound", kNodesDoNot};
    case ReasonCode::CohortCycle:
      return {"CohortCycle", kNodesDoNot};
    case ReasonCode::CohortTooDeep:
      return {"CohortTooDeep", kNodesDoNot};
    case ReasonCode::MultiKueueManager:
      return {"MultiKueueManager", kNodesDoNot};
    case ReasonCode::Preempted:
      return {"Preempted", kNodesDoNot};
    case ReasonCode::DeactivatedDueToRequeuingLimitExceeded:
      return {"DeactivatedDueToRequeuingLimitExceeded", kNodesDoNot};
    case ReasonCode::PodsReadyTimeout:
      return {"PodsReadyTimeout", kNodesDoNot};
    case ReasonCode::NodeFailures:
      return {"NodeFailures", kNodesHelp};
    case ReasonCode::Deactivated:
      return {"Deactivated", kNodesDoNot};
    case ReasonCode::VictimsNoFit:
      return {"VictimsNoFit", kNodesHelp};
    case ReasonCode::NoVictims:
      return {"NoVictims", kNodesHelp};
    case ReasonCode::NeverMovesOthers:
      return {"NeverMovesOthers", kNodesHelp};
    case ReasonCode::PreemptionDelay:
      return {"PreemptionDelay", kNodesHelp};
    case ReasonCode::UnfairExchange:
      return {"UnfairExchange", kNodesHelp};
    case ReasonCode::SameQueue:
      return {"SameQueue", kNodesHelp};
    case ReasonCode::OtherQueue:
      return {"OtherQueue", kNodesHelp};
    case ReasonCode::NotPreemptible:
      return {"NotPreemptible", kNodesHelp};
    case ReasonCode::PriorityNotLower:
      return {"PriorityNotLower", kNodesHelp};
    case ReasonCode::PlacedThisCycle:
      return {"PlacedThisCycle", kNodesHelp};
    case ReasonCode::MinRuntime:
      return {"MinRuntime", kNodesHelp};
    case ReasonCode::DisruptionBudgetBlocks:
      return {"DisruptionBudgetBlocks", kNodesHelp};
    case ReasonCode::NodeNotOfFlavor:
      return {"NodeNotOfFlavor", kNodesHelp};
    case ReasonCode::LevelLabelMissing:
      return {"LevelLabelMissing", kNodesHelp};
  }
  return {};
}

}  // namespace

std::string_view to_string(ReasonCode code) { return entry_of(code).name; }

bool more_nodes_help(ReasonCode code) { return entry_of(code).more_nodes == kNodesHelp; }

}  // namespace trellis
