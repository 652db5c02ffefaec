// Pods and the volumes that their claims are bound to.
#pragma once

#include "server/document/field_reader.h"
#include "server/objects/records.h"

namespace trellis {

// Pods are restricted to the node affinity of all volumes that their claims are bound to, and to
// their own, too. A claim that is absent, that is not bound, or whose volume is broken holds its
// pods. A volume that is not in the input restricts nothing: a dump may lack volumes, and such pods
// go anywhere. Unbound claims and unknown volumes are each reported once for all. Cost: O(pods with
// claims + claims + volumes).
void link_volumes(Records& records, FieldReader& fields);

}  // namespace trellis
