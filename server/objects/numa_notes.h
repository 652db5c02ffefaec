// What is written to a pod of its zones (plugins/numa/numa_hint.h), read back.
#pragma once

#include <string_view>

#include "framework/container_demand.h"
#include "framework/string_table.h"

namespace trellis {

// Gives the containers the zones that `hint` names, and what `report` says; "": nothing. False: the
// hint is not to be understood.
bool read_numa_notes(std::string_view hint, std::string_view report, const StringTable& strings,
                     PodContainers& containers);

// The same of what KAI's agent saw, [{"zone":"zone-0","amount":{"cpu":"3"}}]: every container is in
// all of them. False: it is not to be understood.
bool read_observed_zones(std::string_view text, PodContainers& containers);

}  // namespace trellis
