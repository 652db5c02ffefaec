// Pods that share one zone of their node: how many of them a node takes, and in which zone.
//
// Words: a *group* is the pods of one PodDemand::zone_group. It is *held* to the zones that its
// pods on a node have already; without pods there it may begin in any zone that the kubelet would
// choose.
// Guarantees: pods that are counted together also fit when they are placed one by one, and the zone
// of the first pod stays the group's zone. By alignment Greedy each pod is given the lowest zone
// that holds it, so a group begins in that zone or not on this node; by alignment Possible it
// begins in the zone that takes most of its pods.
// Cost: that of pods_in_turn (alignment.h), for Possible times the zones.
#pragma once

#include <cstdint>
#include <vector>

#include "plugins/numa/alignment.h"

namespace trellis {

// Whether the Topology Manager keeps a pod's resources in one zone where one zone has them.
bool has_zones_to_share(NumaPolicy policy);

// The verdict for one pod. REQUIRES: the node has zones to share.
NumaVerdict align_in_group(const NumaUnits& units, NumaNode node, ZoneMask held,
                           const NumaOptions& options);

// How many pods fit one after the other; at most `most`. REQUIRES: the node has zones to share.
int32_t pods_in_group(const NumaUnits& units, NumaNode node, ZoneMask held,
                      const NumaOptions& options, int32_t most);

// What each zone that the pod may take lacks for it. REQUIRES: the node has zones to share.
ZoneRefusal group_refusal(const NumaUnits& units, NumaNode node, ZoneMask held,
                          const NumaOptions& options);

}  // namespace trellis
