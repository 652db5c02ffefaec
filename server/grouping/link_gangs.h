// Pods into gangs.
#pragma once

#include <vector>

#include "framework/gang.h"
#include "server/document/field_reader.h"
#include "server/objects/records.h"

namespace trellis {

// Groups records.pods (sorted by namespace and name) into gangs: by their PodGroup, else by their
// top owner, else each by itself; sets each pod's gang and what its gang knows of it. What a gang
// asks for comes from the PodGroup's spec, its annotations and labels, its owners', their
// templates', its pods', in this order. What cannot be understood is reported, and kept with the
// gang as the reason why it waits.
std::vector<Gang> link_gangs(Records& records, FieldReader& fields);

}  // namespace trellis
