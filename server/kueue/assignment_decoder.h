// Decodes an assignment in either version of Kueue's API: its keys show which.
#pragma once

#include <optional>

#include "framework/workload.h"
#include "server/document/document.h"
#include "server/document/field_reader.h"

namespace trellis {

// Domains keep the order in which they are written. Nothing, with an error at the first value that
// is wrong, when it is not what the API allows, or names a domain twice in a row. Memory stays
// within a small multiple of the text. O(text).
std::optional<TopologyAssignment> decode_assignment(Value value, FieldReader& fields);

}  // namespace trellis
