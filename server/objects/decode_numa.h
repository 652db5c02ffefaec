// NodeResourceTopology objects: the NUMA zones of the node whose name they bear.
#pragma once

#include <string_view>

#include "framework/numa.h"
#include "server/document/field_reader.h"

namespace trellis {

// v1alpha2, and v1alpha1, whose zones may lack `available`: allocatable is then what is free. Zones
// of other types than Node are checked and left out.
NumaTopology decode_numa(Value object, FieldReader& fields);

}  // namespace trellis
