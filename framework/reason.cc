#include "framework/reason.h"

namespace trellis {

std::string_view to_string(ReasonCode code) {
  switch (code) {
    case ReasonCode::None:
      return "None";
    case ReasonCode::InsufficientResource:
      return "InsufficientResource";
    case ReasonCode::TooManyPods:
      return "TooManyPods";
    case ReasonCode::NodeNotReady:
      return "NodeNotReady";
    case ReasonCode::NodeUnschedulable:
      return "NodeUnschedulable";
    case ReasonCode::UntoleratedTaint:
      return "UntoleratedTaint";
    case ReasonCode::NodeSelectorMismatch:
      return "NodeSelectorMismatch";
    case ReasonCode::NodeAffinityMismatch:
      return "NodeAffinityMismatch";
    case ReasonCode::HostPortConflict:
      return "HostPortConflict";
    case ReasonCode::InsufficientGpuShare:
      return "InsufficientGpuShare";
    case ReasonCode::GpuMemoryUnknown:
      return "GpuMemoryUnknown";
    case ReasonCode::OutsideDomain:
      return "OutsideDomain";
    case ReasonCode::PodAffinityMismatch:
      return "PodAffinityMismatch";
    case ReasonCode::PodAntiAffinityConflict:
      return "PodAntiAffinityConflict";
    case ReasonCode::ExistingPodAntiAffinity:
      return "ExistingPodAntiAffinity";
    case ReasonCode::TopologySpreadLabelMissing:
      return "TopologySpreadLabelMissing";
    case ReasonCode::TopologySpreadSkew:
      return "TopologySpreadSkew";
    case ReasonCode::QueueNotFound:
      return "QueueNotFound";
    case ReasonCode::TopologyNotFound:
      return "TopologyNotFound";
    case ReasonCode::TopologyNotNamed:
      return "TopologyNotNamed";
    case ReasonCode::LevelUnknown:
      return "LevelUnknown";
    case ReasonCode::LevelOrder:
      return "LevelOrder";
    case ReasonCode::NotEnoughPods:
      return "NotEnoughPods";
    case ReasonCode::SchedulingGated:
      return "SchedulingGated";
    case ReasonCode::OtherScheduler:
      return "OtherScheduler";
    case ReasonCode::GangNotFound:
      return "GangNotFound";
    case ReasonCode::NodesNoFit:
      return "NodesNoFit";
    case ReasonCode::TopologyNoFit:
      return "TopologyNoFit";
    case ReasonCode::SearchBudgetExhausted:
      return "SearchBudgetExhausted";
    case ReasonCode::SubgroupUnknown:
      return "SubgroupUnknown";
    case ReasonCode::SubgroupTree:
      return "SubgroupTree";
    case ReasonCode::SegmentSizes:
      return "SegmentSizes";
    case ReasonCode::InvalidObject:
      return "InvalidObject";
  }
  return "";
}

}  // namespace trellis
