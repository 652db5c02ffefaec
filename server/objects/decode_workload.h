// kueue.x-k8s.io Workload.
#pragma once

#include "server/document/field_reader.h"
#include "server/objects/decode_pod.h"
#include "server/objects/kueue_records.h"

namespace trellis {

// One with errors comes back with the first of them as its reason.
WorkloadRecord decode_workload(Value object, PodDecoder& pods, FieldReader& fields);

}  // namespace trellis
