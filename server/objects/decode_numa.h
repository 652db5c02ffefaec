// NodeResourceTopology objects: the NUMA zones of the node whose name they bear.
#pragma once

#include <string_view>

#include "framework/numa.h"
#include "server/document/field_reader.h"

namespace trellis {

// Reads v1alpha2 and v1alpha1. Zones of v1alpha1 may lack `available`: the amount `allocatable` is
// then free. Zones of other types than Node are checked and left out.
NumaTopology decode_numa(Value object, FieldReader& fields);

}  // namespace trellis
