// Topology of kueue.x-k8s.io and of kai.scheduler, in any version.
#pragma once

#include <string_view>

#include "framework/topology.h"
#include "server/document/field_reader.h"

namespace trellis {

// The level of a node's NUMA zones: the last one, below the hostname. No node has this label.
inline constexpr std::string_view kNumaZoneLevel = "trellis.scheduler/numa-zone";

// The caller sets the name.
Topology decode_topology(Value object, FieldReader& fields);

}  // namespace trellis
