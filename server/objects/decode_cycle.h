// A saved cycle: kind Cycle of trellis.scheduler/v1alpha1.
#pragma once

#include "server/document/document.h"
#include "server/document/field_reader.h"
#include "server/objects/cycle_object.h"

namespace trellis {

CycleObject decode_cycle(Value object, FieldReader& fields);

}  // namespace trellis
