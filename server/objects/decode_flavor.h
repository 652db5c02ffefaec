// kueue.x-k8s.io ResourceFlavor.
#pragma once

#include "server/document/field_reader.h"
#include "server/objects/kueue_records.h"

namespace trellis {

FlavorRecord decode_flavor(Value object, FieldReader& fields);

}  // namespace trellis
