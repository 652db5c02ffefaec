// Pods and the ResourceClaims that they use.
#pragma once

#include "server/document/field_reader.h"
#include "server/objects/records.h"

namespace trellis {

// Pods whose claims are all allocated, and usable, are restricted to the nodes that the allocations
// name; other pods are held. A claim is reserved for at most 256 pods: the first pods by name take
// the reservations that are left. What holds pods is reported once for all.
// REQUIRES: pods by namespace and name.
void link_resource_claims(Records& records, FieldReader& fields);

}  // namespace trellis
