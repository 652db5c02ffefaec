#include "server/kube/status/pod_reasons.h"

#include "server/wording/reason_text.h"
#include "session/cluster/pod_hold.h"

namespace trellis {
namespace {

// None: its gang speaks for it.
ReasonCode own_reason(PodHold hold) {
  return hold == PodHold::Workload ? ReasonCode::None : hold_reason(hold);
}

}  // namespace

PodReason pod_reason(const GangReasons& reasons, const PodSlot& slot) {
  PodHold hold = slot.pod.hold;
  // The API server speaks of gates, and other schedulers of their pods.
  if (hold == PodHold::SchedulingGates || hold == PodHold::OtherScheduler) return {};
  ReasonCode own = own_reason(hold);
  if (own != ReasonCode::None) return {.version = ~static_cast<uint64_t>(own), .code = own};
  if (!reasons.knows(slot.gang)) return {};
  const GangReasons::Said& said = reasons.of(slot.gang);
  // Others of its gang may wait for nodes; nodes are no help to a pod that is held.
  if (hold == PodHold::Workload && more_nodes_help(said.code)) return {};
  return {.version = said.version, .code = said.code, .calls_for_nodes = said.calls_for_nodes};
}

std::string pod_reason_text(const Cluster& cluster, const GangReasons& reasons,
                            const PodSlot& slot) {
  ReasonCode own = own_reason(slot.pod.hold);
  return own == ReasonCode::None ? reasons.of(slot.gang).text
                                 : reason_text(cluster, Reason{.code = own});
}

}  // namespace trellis
