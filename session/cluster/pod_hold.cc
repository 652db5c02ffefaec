#include "session/cluster/pod_hold.h"

namespace trellis {

PodHold hold_of(const Cluster& cluster, const PodSlot& slot) {
  PodHold own = slot.pod.hold;
  bool of_workload = slot.workload.valid() && cluster.workloads().alive(slot.workload) &&
                     (own == PodHold::None || own == PodHold::Workload);
  if (!of_workload) return own;
  const Workload& workload = cluster.workloads()[slot.workload];
  if (!may_start(workload)) return PodHold::Workload;
  for (const PodSetAdmission& set : workload.admission->pod_sets) {
    if (set.name != slot.pod.pod_set) continue;
    return set.topology || set.delayed_topology ? PodHold::Workload : PodHold::None;
  }
  return own;
}

ReasonCode hold_reason(PodHold hold) {
  switch (hold) {
    case PodHold::None:
      return ReasonCode::None;
    case PodHold::SchedulingGates:
      return ReasonCode::SchedulingGated;
    case PodHold::OtherScheduler:
      return ReasonCode::OtherScheduler;
    case PodHold::VolumeClaim:
      return ReasonCode::VolumeClaimNotFound;
    case PodHold::Workload:
      return ReasonCode::WorkloadNotAdmitted;
    case PodHold::ResourceClaim:
      return ReasonCode::ResourceClaimNotUsable;
    case PodHold::GpuFraction:
      return ReasonCode::GpuFractionBinderMissing;
    case PodHold::VolumeLost:
      return ReasonCode::VolumeLost;
    case PodHold::VolumeClaimLeaving:
      return ReasonCode::VolumeClaimLeaving;
    case PodHold::VolumeClaimOfOther:
      return ReasonCode::VolumeClaimOfOther;
    case PodHold::VolumeUnbound:
      return ReasonCode::VolumeClaimUnbound;
    case PodHold::VolumeNotFound:
      return ReasonCode::VolumeNotFound;
    case PodHold::MigAnnotation:
      return ReasonCode::SlicesByAnnotation;
  }
  return ReasonCode::None;
}

}  // namespace trellis
