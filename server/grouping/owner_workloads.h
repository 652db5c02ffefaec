// The workloads that Jobs and their like make where the input holds none of theirs.
#pragma once

#include <string_view>
#include <vector>

#include "server/document/field_reader.h"
#include "server/objects/decode_pod.h"
#include "server/objects/kueue_records.h"

namespace trellis {

struct WorkloadMaker {
  Value object;
  const Meta& meta;
  const JobRecord* job = nullptr;  // of a batch Job
};

// Whether the object asks for a workload: it is of such a kind, names a queue, and has not ended.
bool asks_for_workload(Value object, const Meta& meta, const StringTable& strings);

// One for each copy. REQUIRES: asks_for_workload().
std::vector<WorkloadRecord> make_owner_workloads(const WorkloadMaker& maker, PodDecoder& pods,
                                                 FieldReader& fields);

}  // namespace trellis
