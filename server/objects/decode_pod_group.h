// PodGroup scheduling.run.ai/v2alpha2.
#pragma once

#include <string_view>

#include "server/document/field_reader.h"
#include "server/objects/records.h"

namespace trellis {

// The annotation of a PodGroup that was made for the pods of its owner: the owner's name, and the
// number of the group where the owner has several.
inline constexpr std::string_view kMadeForKey = "trellis.scheduler/made-for";

// The caller sets meta. `keys.pod_group` names the gang that the PodGroup was made for; not valid:
// it was made for none.
PodGroupRecord decode_pod_group(Value object, FieldReader& fields);

}  // namespace trellis
