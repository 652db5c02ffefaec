// v1 Node.
#pragma once

#include "framework/node.h"
#include "server/document/field_reader.h"

namespace trellis {

// The caller sets the name.
Node decode_node(Value object, FieldReader& fields);

}  // namespace trellis
