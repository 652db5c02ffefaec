// PersistentVolumeClaims of the ephemeral volumes of pods that are made from templates.
#pragma once

#include <vector>

#include "server/document/field_reader.h"
#include "server/objects/raw_object.h"
#include "server/objects/records.h"

namespace trellis {

// Makes the claims that a controller would make with such pods; a claim that has the name is taken.
// `raw`: has the texts of the pods, and gets those of the claims; null: they are not needed.
// Cost: O(pods).
void make_volume_claims(Records& records, FieldReader& fields, std::vector<RawObject>* raw);

}  // namespace trellis
