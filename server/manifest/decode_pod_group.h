// PodGroup scheduling.run.ai/v2alpha2.
#pragma once

#include "server/manifest/field_reader.h"
#include "server/manifest/records.h"

namespace trellis {

// Meta is left to the caller.
PodGroupRecord decode_pod_group(Value object, FieldReader& fields);

}  // namespace trellis
