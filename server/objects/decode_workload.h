// kueue.x-k8s.io Workload.
#pragma once

#include <span>

#include "server/document/field_reader.h"
#include "server/objects/decode_pod.h"
#include "server/objects/kueue_records.h"

namespace trellis {

// One with errors comes back with the first of them as its reason.
WorkloadRecord decode_workload(Value object, PodDecoder& pods, FieldReader& fields);

// The name of one more PodSet, which `at` says: whether one of `sets` has it already. That, and
// what is no name, are errors.
bool check_pod_set_name(Value at, StrId name, std::span<const PodSet> sets, FieldReader& fields);

}  // namespace trellis
