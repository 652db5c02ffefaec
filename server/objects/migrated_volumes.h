// Volumes of plugins that were built into Kubernetes, under the names of the CSI drivers that
// replaced them: nodes count them as volumes of these drivers.
#pragma once

#include <optional>
#include <string_view>

#include "framework/volumes.h"
#include "server/document/field_reader.h"

namespace trellis {

// The driver that replaced a provisioner; any other name stays.
std::string_view replaced_by(std::string_view provisioner);

// The volume that `source`, the spec of a PersistentVolume or a volume of a pod, names in this way.
std::optional<VolumeHandle> decode_migrated_volume(Value source, FieldReader& fields);

}  // namespace trellis
