// PersistentVolumeClaim and PersistentVolume v1: where the pods that use them can run.
#pragma once

#include "server/manifest/field_reader.h"
#include "server/manifest/records.h"

namespace trellis {

// Meta is left to the caller.
ClaimRecord decode_claim(Value object, FieldReader& fields);
VolumeRecord decode_volume(Value object, FieldReader& fields);

}  // namespace trellis
