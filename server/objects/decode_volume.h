// PersistentVolumeClaim and PersistentVolume v1: where the pods that use them can run.
#pragma once

#include <string>
#include <string_view>

#include "server/document/field_reader.h"
#include "server/objects/records.h"

namespace trellis {

// The caller sets meta.
ClaimRecord decode_claim(Value object, FieldReader& fields);
VolumeRecord decode_volume(Value object, FieldReader& fields);

// The name of the claim that this volume of a pod uses; for a generic ephemeral volume, of the
// claim that is made with the pod. "": the volume uses no claim, or the pod has no name yet.
std::string volume_claim(Value volume, std::string_view pod);

}  // namespace trellis
