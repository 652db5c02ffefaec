// PersistentVolumeClaim and PersistentVolume v1: where the pods that use them can run.
#pragma once

#include <string>
#include <string_view>

#include "server/document/field_reader.h"
#include "server/objects/records.h"

namespace trellis {

// Meta is left to the caller.
ClaimRecord decode_claim(Value object, FieldReader& fields);
VolumeRecord decode_volume(Value object, FieldReader& fields);

// The claim that this volume of a pod stands for: of a generic ephemeral volume the one that is
// made with the pod. "": none, or none that is known of a pod without a name.
std::string volume_claim(Value volume, std::string_view pod);

}  // namespace trellis
