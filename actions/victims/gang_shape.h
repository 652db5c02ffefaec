// How a gang may lose pods without falling below its minimum.
#pragma once

#include <cstdint>
#include <vector>

#include "session/placement/placement_context.h"

namespace trellis {

// Pods of the gang, or of a leaf subgroup, that may leave one by one, as things stand in the
// statement: those above the minimum. `subgroup` -1: a gang without subgroups.
int64_t surplus_pods(const PlacementContext& context, GangId gang, int32_t subgroup);

// Whether all pods of a leaf subgroup may leave at once.
bool surplus_subgroup(const PlacementContext& context, GangId gang, int32_t subgroup);

// Pods that hold a node and are there to stay, last ranks first. `subgroup` -1: of the whole gang.
std::vector<PodId> pods_to_move(const PlacementContext& context, GangId gang, int32_t subgroup);

}  // namespace trellis
