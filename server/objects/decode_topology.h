// Topology of kueue.x-k8s.io and of kai.scheduler, in any version.
#pragma once

#include <string_view>

#include "framework/topology.h"
#include "server/document/field_reader.h"

namespace trellis {

// A NUMA zone of a node: the last level, below the hostname. No node has such a label.
inline constexpr std::string_view kNumaZoneLevel = "trellis.scheduler/numa-zone";

// The name is left to the caller.
Topology decode_topology(Value object, FieldReader& fields);

}  // namespace trellis
