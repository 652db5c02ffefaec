// The status of a Workload: whether it is admitted, where, and what has become of its pods.
#pragma once

#include "server/document/field_reader.h"
#include "server/objects/kueue_records.h"

namespace trellis {

// Into record.workload, whose PodSets are known.
void decode_workload_status(Value status, WorkloadRecord& record, FieldReader& fields);

}  // namespace trellis
