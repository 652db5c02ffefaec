// Queue scheduling.run.ai/v2 and PriorityClass scheduling.k8s.io/v1.
#pragma once

#include "server/document/field_reader.h"
#include "server/objects/records.h"

namespace trellis {

// The caller sets meta and the name.
QueueRecord decode_queue(Value object, FieldReader& fields);
// Whether the preemptionPolicy of a priority class, or of a pod's spec, is not Never.
bool decode_moves_others(Value parent, FieldReader& fields);
PriorityClassRecord decode_priority_class(Value object, FieldReader& fields);

}  // namespace trellis
