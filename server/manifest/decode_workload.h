// kueue.x-k8s.io Workload.
#pragma once

#include "server/manifest/decode_pod.h"
#include "server/manifest/field_reader.h"
#include "server/manifest/kueue_records.h"

namespace trellis {

// One with errors comes back with the first of them as its reason.
WorkloadRecord decode_workload(Value object, PodDecoder& pods, FieldReader& fields);

}  // namespace trellis
