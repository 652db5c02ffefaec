#include "server/kube/status/pod_reasons.h"

#include "server/wording/reason_text.h"
#include "session/cluster/pod_hold.h"

namespace trellis {
namespace {

// None: its gang's reason counts.
ReasonCode own_reason(PodHold hold) {
  return hold == PodHold::Workload ? ReasonCode::None : hold_reason(hold);
}

}  // namespace

PodReason pod_reason(const GangReasons& reasons, const PodSlot& slot) {
  PodHold hold = slot.pod.hold;
  // The API server reports gates, and other schedulers their pods.
  if (hold == PodHold::SchedulingGates || hold == PodHold::OtherScheduler) return {};
  ReasonCode own = own_reason(hold);
  if (own != ReasonCode::None) return {.version = ~static_cast<uint64_t>(own), .code = own};
  if (!reasons.knows(slot.gang)) return {};
  const GangReasons::Explanation& explanation = reasons.of(slot.gang);
  // Other pods of its gang may wait for nodes, but more nodes do not help a pod that is held.
  if (hold == PodHold::Workload && more_nodes_help(explanation.code)) return {};
  return {.version = explanation.version,
          .code = explanation.code,
          .calls_for_nodes = explanation.calls_for_nodes};
}

std::string pod_reason_text(const Cluster& cluster, const GangReasons& reasons,
                            const PodSlot& slot) {
  ReasonCode own = own_reason(slot.pod.hold);
  return own == ReasonCode::None ? reasons.of(slot.gang).text
                                 : reason_text(cluster, Reason{.code = own});
}

}  // namespace trellis
