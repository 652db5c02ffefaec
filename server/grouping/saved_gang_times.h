// The times of gangs that kind Cycle keeps, because no PodGroup has them.
#pragma once

#include <vector>

#include "framework/gang.h"
#include "framework/string_table.h"
#include "server/objects/cycle_object.h"

namespace trellis {

// Sets the times of those gangs that have none yet.
void set_saved_times(const std::vector<GangTimes>& saved, const StringTable& strings,
                     std::vector<Gang>& gangs);

}  // namespace trellis
