#include "session/pod_hold.h"

namespace trellis {

PodHold hold_of(const Cluster& cluster, const PodSlot& slot) {
  if (slot.pod.hold != PodHold::Workload || !slot.workload.valid()) return slot.pod.hold;
  const Workload& workload = cluster.workloads()[slot.workload];
  if (!workload.admission || workload.checks_pending) return PodHold::Workload;
  for (const PodSetAdmission& set : workload.admission->pod_sets) {
    bool free = set.name == slot.pod.pod_set && !set.topology && !set.delayed_topology;
    if (free) return PodHold::None;
  }
  return PodHold::Workload;
}

}  // namespace trellis
