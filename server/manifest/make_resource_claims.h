// ResourceClaims that a controller would make of templates.
#pragma once

#include <vector>

#include "server/document/field_reader.h"
#include "server/objects/raw_object.h"
#include "server/objects/records.h"

namespace trellis {

// Makes the claim of each pod that waits, or has a node, and names a template whose claim is not
// made yet; one claim for all pods of a PodGroup that share it (group_claims.h). Its name is that
// of the controller, but for the last letters, which follow from the names of pod and claim; a
// claim that has this name is taken. `raw`: gets the texts of the claims; null: they are not
// needed. Cost: O(pods with claims).
void make_resource_claims(Records& records, FieldReader& fields, std::vector<RawObject>* raw);

}  // namespace trellis
