// The workloads that Jobs and similar owners make where the input holds no Workload of theirs.
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

// Whether the object requests a workload: it is of a kind that makes workloads, and names a queue.
bool asks_for_workload(Value object, const Meta& meta, const StringTable& strings);

// One record for each copy; none when the object has finished. REQUIRES: asks_for_workload().
std::vector<WorkloadRecord> make_owner_workloads(const WorkloadMaker& maker, PodDecoder& pods,
                                                 FieldReader& fields);

}  // namespace trellis
