// The status of a Workload: its admission, with flavors and domains, and the state of its pods.
#pragma once

#include "server/document/field_reader.h"
#include "server/objects/kueue_records.h"

namespace trellis {

// Writes to record.workload. REQUIRES: its PodSets are decoded.
void decode_workload_status(Value status, WorkloadRecord& record, FieldReader& fields);

}  // namespace trellis
