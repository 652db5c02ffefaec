// Pods and the ResourceClaims that they use.
#pragma once

#include <cstdint>

#include "server/document/field_reader.h"
#include "server/objects/records.h"
#include "session/cluster/objects.h"

namespace trellis {

// What makes the claims of templates: a controller of the live cluster, or the reader of files from
// the templates that it has.
enum class ClaimsMadeBy : uint8_t { Controller, Reader };

// Sets what the claims of each pod require of its node (PodDevices), and restricts pods to the
// nodes where allocated devices of their claims can be used. A claim that is absent, leaving, not
// ready, of another pod or full holds its pods. What holds pods is reported once for all.
// Cost: O(pods with claims + claims).
void link_resource_claims(Records& records, FieldReader& fields, ClaimsMadeBy made_by);

// Moves the devices, and the claims for them. REQUIRES: linked.
void move_devices(Records& records, const StringTable& strings, Objects& objects);

}  // namespace trellis
