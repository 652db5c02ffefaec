// Why one pod waits, as users read it: what holds the pod itself, else why its gang waits.
#pragma once

#include <cstdint>
#include <string>

#include "framework/pod.h"
#include "framework/reason.h"
#include "server/kube/status/gang_reasons.h"
#include "session/cluster/cluster.h"

namespace trellis {

struct PodReason {
  uint64_t version = 0;  // different for each sentence; 0: there is no reason
  ReasonCode code = ReasonCode::None;
  bool calls_for_nodes = false;  // more nodes could end the wait, and its gang allows to say so
};

// REQUIRES: the pod has no node, and `reasons` has looked.
PodReason pod_reason(const GangReasons& reasons, const PodSlot& slot);

// REQUIRES: the version of pod_reason() is not 0.
std::string pod_reason_text(const Cluster& cluster, const GangReasons& reasons,
                            const PodSlot& slot);

}  // namespace trellis
