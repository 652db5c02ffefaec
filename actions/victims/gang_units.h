// Divides a gang into the units in which it may leave (EvictionUnit).
#pragma once

#include <cstdint>
#include <vector>

#include "actions/victims/victim_set.h"
#include "session/placement/placement_context.h"

namespace trellis {

// The pods that a gang may lose while others of it stay.

// How many pods of the gang, or of a leaf subgroup, may leave one by one in the statement as it is:
// those above the minimum, or all of them, or none. `subgroup` -1: a gang without subgroups.
int64_t surplus_pods(const PlacementContext& context, GangId gang, int32_t subgroup);

// Whether all pods of a leaf subgroup may leave at once, perhaps with those of other leaves.
bool surplus_subgroup(const PlacementContext& context, GangId gang, int32_t subgroup);

// The pods that leave at once with those of a leaf subgroup where surplus_subgroup().
std::vector<PodId> pods_of_part(const PlacementContext& context, GangId gang, int32_t subgroup);

// Pods that have a node and do not leave, last ranks first. `subgroup` -1: of the whole gang.
std::vector<PodId> pods_to_move(const PlacementContext& context, GangId gang, int32_t subgroup);

// Units that may leave without the rest of the gang: pods one by one, last ranks first, so that the
// leaves stay even (has_grown_less); then subgroups.
void append_surplus(const PlacementContext& context, GangId gang, std::vector<VictimUnit>& units);

// Units of the whole gang: first what may leave without the rest, then its core.
void append_whole_gang(const PlacementContext& context, GangId gang,
                       std::vector<VictimUnit>& units);

}  // namespace trellis
