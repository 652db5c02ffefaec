// Topology of kueue.x-k8s.io and of kai.scheduler, in any version.
#pragma once

#include "framework/topology.h"
#include "server/manifest/field_reader.h"

namespace trellis {

// The name is left to the caller.
Topology decode_topology(Value object, FieldReader& fields);

}  // namespace trellis
