// Groups pods into gangs.
#pragma once

#include <vector>

#include "framework/gang.h"
#include "server/document/field_reader.h"
#include "server/objects/records.h"

namespace trellis {

// Groups records.pods (sorted by namespace and name) into gangs: by their PodGroup, else by their
// top owner, else each by itself; sets each pod's gang, and what the gang's objects specify for the
// pod. A gang's requests are read from the PodGroup's spec, its annotations and labels, then those
// of its owners, of their templates and of its pods, in this order. What cannot be understood is
// reported, and kept with the gang as the reason why it waits.
std::vector<Gang> link_gangs(Records& records, FieldReader& fields);

}  // namespace trellis
