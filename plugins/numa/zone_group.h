// Pods that share one zone of their node: how many a node takes, and which zone.
//
// Words: a *group* is the pods of PodDemand::zone_group. It is *held* to the zones that its pods on
// a node have already; with none there it may begin in any zone that the kubelet would choose.
// Guarantees: what is counted stands when it is placed one by one, and the first placed keeps its
// zone. By alignment Greedy each pod lands in the lowest zone that holds it, so a group begins in
// that zone or not on this node; by alignment Possible in the zone that takes the most of its pods.
// Cost: that of pods_in_turn (alignment.h), for Possible times the zones.
#pragma once

#include <cstdint>
#include <vector>

#include "plugins/numa/alignment.h"

namespace trellis {

// Whether the Topology Manager keeps what a pod gets in one zone where one zone has it.
bool has_zones_to_share(NumaPolicy policy);

// Of one pod. REQUIRES: the node has zones to share.
NumaVerdict align_in_group(const NumaUnits& units, NumaNode node, ZoneMask held,
                           const NumaOptions& options);

// One after the other; at most `most`. REQUIRES: the node has zones to share.
int32_t pods_in_group(const NumaUnits& units, NumaNode node, ZoneMask held,
                      const NumaOptions& options, int32_t most);

// What each zone that the pod may take lacks for it. REQUIRES: as above.
ZoneRefusal group_refusal(const NumaUnits& units, NumaNode node, ZoneMask held,
                          const NumaOptions& options);

}  // namespace trellis
