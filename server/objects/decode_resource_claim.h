// ResourceClaim of resource.k8s.io, as far as it says where the pods that use it can run: what its
// status says. Versions v1, v1beta2 and v1beta1 do not differ there.
#pragma once

#include <vector>

#include "server/document/field_reader.h"
#include "server/objects/records.h"

namespace trellis {

// Meta is left to the caller.
ResourceClaimRecord decode_resource_claim(Value object, FieldReader& fields);

// The claims that a pod uses: by name, or as its status says of those made from a template. An
// entry for which no claim is needed is left out.
std::vector<ResourceClaimUse> decode_resource_claim_uses(Value spec, Value status,
                                                         FieldReader& fields);

}  // namespace trellis
