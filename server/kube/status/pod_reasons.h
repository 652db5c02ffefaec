// Why one pod waits, as its users are told: what holds the pod itself, else why its gang waits.
#pragma once

#include <cstdint>
#include <string>

#include "framework/pod.h"
#include "framework/reason.h"
#include "server/kube/status/gang_reasons.h"
#include "session/cluster/cluster.h"

namespace trellis {

struct PodReason {
  uint64_t version = 0;  // never the same for two sentences; 0: there is nothing to say
  ReasonCode code = ReasonCode::None;
  bool calls_for_nodes = false;  // more nodes could end it, and its gang may say so
};

// REQUIRES: the pod has no node, and `reasons` has looked.
PodReason pod_reason(const GangReasons& reasons, const PodSlot& slot);

// REQUIRES: pod_reason() has something to say.
std::string pod_reason_text(const Cluster& cluster, const GangReasons& reasons,
                            const PodSlot& slot);

}  // namespace trellis
