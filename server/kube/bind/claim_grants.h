// What a cycle's decision writes to the ResourceClaims of a pod.
#pragma once

#include <vector>

#include "server/kube/bind/pod_write.h"
#include "session/cluster/cluster.h"
#include "session/record/record.h"

namespace trellis {

// REQUIRES: the cycle binds the pod. Empty: it uses no claims.
std::vector<ClaimGrant> grants_of(const Cluster& cluster, PodId pod, const PodOutcome& outcome);

}  // namespace trellis
