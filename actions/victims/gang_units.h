// Divides a gang into the units in which it may leave.
#pragma once

#include <vector>

#include "actions/victims/victim_set.h"

namespace trellis {

// Units that may leave without breaking the gang: pods above the minimum one by one, last ranks
// first, and subgroups that the gang does without.
void append_surplus(const PlacementContext& context, GangId gang, std::vector<VictimUnit>& units);

// Units of the whole gang: first what is above the minimum, then its core.
void append_whole_gang(const PlacementContext& context, GangId gang,
                       std::vector<VictimUnit>& units);

}  // namespace trellis
