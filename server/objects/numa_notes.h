// Reads back the annotations about a pod's zones (plugins/numa/numa_hint.h writes them).
#pragma once

#include <string_view>

#include "framework/container_demand.h"
#include "framework/string_table.h"

namespace trellis {

// Sets the zones of the containers from `hint`, and bound_after from `report`; either may be "".
// False: the hint cannot be understood.
bool read_numa_notes(std::string_view hint, std::string_view report, const StringTable& strings,
                     PodContainers& containers);

// Sets the zones of the containers from the annotation of KAI's agent,
// [{"zone":"zone-0","amount":{"cpu":"3"}}]: every container is in all of these zones. False: the
// text cannot be understood.
bool read_observed_zones(std::string_view text, PodContainers& containers);

}  // namespace trellis
