// PodDisruptionBudget policy/v1.
#pragma once

#include "framework/disruption_budget.h"
#include "server/document/field_reader.h"

namespace trellis {

// The caller sets the names.
DisruptionBudget decode_budget(Value object, FieldReader& fields);

}  // namespace trellis
