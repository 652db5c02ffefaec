// Pods and the ResourceClaims that they use.
#pragma once

#include "server/document/field_reader.h"
#include "server/objects/records.h"

namespace trellis {

// Pods whose claims are all allocated, and usable, follow the nodes that the allocations name; the
// others are held. A claim is reserved for 256 pods at most: the first by name take what is left.
// What holds pods is said once for all. Cost: O(pods with claims + claims).
// REQUIRES: pods by namespace and name.
void link_resource_claims(Records& records, FieldReader& fields);

}  // namespace trellis
