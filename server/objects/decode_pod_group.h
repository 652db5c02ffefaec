// PodGroup scheduling.run.ai/v2alpha2.
#pragma once

#include <string_view>

#include "server/document/field_reader.h"
#include "server/objects/records.h"

namespace trellis {

// An annotation of a PodGroup that was made for the pods of its owner: the owner's name, and the
// number of the group where it has several.
inline constexpr std::string_view kMadeForKey = "trellis.scheduler/made-for";

// Meta is left to the caller. `keys.pod_group` names the gang that it was made for; not valid: for
// none.
PodGroupRecord decode_pod_group(Value object, FieldReader& fields);

}  // namespace trellis
