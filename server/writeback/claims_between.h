// The allocations of ResourceClaims between one cycle and the next.
#pragma once

#include <span>
#include <vector>

#include "session/cluster/cluster.h"
#include "session/record/record.h"

namespace trellis {

// The claims of the pods that the cycle binds have their devices, and are reserved for these pods.
// REQUIRES: `record` is of a cycle on `cluster` as it is. Cost: O(decisions).
void allocate_claims(Cluster& cluster, const CycleRecord& record);

// Of `pods`, those on a node with claims for devices.
std::vector<PodId> pods_with_devices(const Cluster& cluster, std::span<const PodId> pods);
// Of these pods, those that are on no node any more do not use their claims; a claim that was
// reserved for them alone loses its devices.
void release_claims(Cluster& cluster, std::span<const PodId> pods);

}  // namespace trellis
