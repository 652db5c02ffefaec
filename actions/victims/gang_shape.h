// The pods that a gang may lose without falling below its minimum.
#pragma once

#include <cstdint>
#include <vector>

#include "session/placement/placement_context.h"

namespace trellis {

// How many pods of the gang, or of a leaf subgroup, may leave one by one in the statement as it is:
// those above the minimum. `subgroup` -1: a gang without subgroups.
int64_t surplus_pods(const PlacementContext& context, GangId gang, int32_t subgroup);

// Whether all pods of a leaf subgroup may leave at once.
bool surplus_subgroup(const PlacementContext& context, GangId gang, int32_t subgroup);

// Pods that have a node and do not leave, last ranks first. `subgroup` -1: of the whole gang.
std::vector<PodId> pods_to_move(const PlacementContext& context, GangId gang, int32_t subgroup);

}  // namespace trellis
