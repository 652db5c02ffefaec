// Pods and the volumes that their claims are bound to.
#pragma once

#include "server/document/field_reader.h"
#include "server/objects/records.h"

namespace trellis {

// Pods follow the node affinity of the volumes that their claims are bound to, all of them and
// their own, too. A claim that is absent, that is not bound, or whose volume is broken holds its
// pods. Of a volume that is not in the input nothing is known: a dump may lack them, and its pods
// go anywhere. Both are said once for all. Cost: O(pods with claims + claims + volumes).
void link_volumes(Records& records, FieldReader& fields);

}  // namespace trellis
