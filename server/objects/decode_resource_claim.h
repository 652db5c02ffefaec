// The part of a ResourceClaim of resource.k8s.io that decides where the pods that use it can run:
// its status. Versions v1, v1beta2 and v1beta1 do not differ there.
#pragma once

#include <vector>

#include "server/document/field_reader.h"
#include "server/objects/records.h"

namespace trellis {

// The caller sets meta.
ResourceClaimRecord decode_resource_claim(Value object, FieldReader& fields);

// The claims that a pod uses: those that its spec names, and those that were made from a template,
// which its status names. An entry for which no claim is needed is left out.
std::vector<ResourceClaimUse> decode_resource_claim_uses(Value spec, Value status,
                                                         FieldReader& fields);

}  // namespace trellis
