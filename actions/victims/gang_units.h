// Divides a gang into the units in which it may leave.
#pragma once

#include <cstdint>
#include <vector>

#include "actions/victims/victim_set.h"
#include "session/placement/placement_context.h"

namespace trellis {

// The pods that a gang may lose without falling below its minimum.

// How many pods of the gang, or of a leaf subgroup, may leave one by one in the statement as it is:
// those above the minimum. `subgroup` -1: a gang without subgroups.
int64_t surplus_pods(const PlacementContext& context, GangId gang, int32_t subgroup);

// Whether all pods of a leaf subgroup may leave at once.
bool surplus_subgroup(const PlacementContext& context, GangId gang, int32_t subgroup);

// Pods that have a node and do not leave, last ranks first. `subgroup` -1: of the whole gang.
std::vector<PodId> pods_to_move(const PlacementContext& context, GangId gang, int32_t subgroup);

// Units that may leave without breaking the gang: pods above the minimum one by one, last ranks
// first, and subgroups that the gang does without.
void append_surplus(const PlacementContext& context, GangId gang, std::vector<VictimUnit>& units);

// Units of the whole gang: first what is above the minimum, then its core.
void append_whole_gang(const PlacementContext& context, GangId gang,
                       std::vector<VictimUnit>& units);

}  // namespace trellis
