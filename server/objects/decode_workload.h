// kueue.x-k8s.io Workload.
#pragma once

#include <span>

#include "server/document/field_reader.h"
#include "server/objects/decode_pod.h"
#include "server/objects/kueue_records.h"

namespace trellis {

// Errors are only reported. RecordKeeper keeps the first of them with the record, and the workload
// waits for this reason.
WorkloadRecord decode_workload(Value object, PodDecoder& pods, FieldReader& fields);

// Checks the name of one more PodSet, which is written at `at`. True: one of `sets` has this name
// already. A second use of a name and a malformed name are reported as errors.
bool check_pod_set_name(Value at, StrId name, std::span<const PodSet> sets, FieldReader& fields);

}  // namespace trellis
