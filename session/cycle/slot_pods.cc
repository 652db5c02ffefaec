#include "session/cycle/slot_pods.h"

#include <algorithm>

namespace trellis {

bool belongs_in_slot(const Session& session, PodId pod) {
  const PodSlot& slot = session.cluster().pods()[pod];
  if (!slot.workload.valid()) return false;
  const Admission* admission = session.admission(slot.workload);
  if (admission == nullptr || session.cluster().workloads()[slot.workload].checks_pending) {
    return false;
  }
  return std::ranges::any_of(admission->pod_sets, [&](const PodSetAdmission& set) {
    return set.name == slot.pod.pod_set && set.topology;
  });
}

bool has_pods_in_slots(const Session& session, GangId gang) {
  if (session.snapshot().workloads().empty()) return false;
  return std::ranges::any_of(session.cluster().pods_of(gang),
                             [&](PodId pod) { return belongs_in_slot(session, pod); });
}

}  // namespace trellis
