#include "framework/workload.h"

namespace trellis {

bool lacks_topology(const Admission& admission) {
  for (const PodSetAdmission& set : admission.pod_sets) {
    if (set.delayed_topology && !set.topology) return true;
  }
  return false;
}

TimeUs pods_ready_deadline(const Workload& workload, const WaitForPodsReady& settings) {
  if (workload.pods_ready != PodsReady::Waiting || workload.pods_ready_since == kNoTime) {
    return kNoTime;
  }
  TimeUs length = workload.ever_ready ? settings.recovery_timeout_us : settings.timeout_us;
  return length > 0 ? workload.pods_ready_since + length : kNoTime;
}

}  // namespace trellis
