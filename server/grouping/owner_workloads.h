// The workloads that Jobs and similar owners make where the input holds no Workload of theirs.
#pragma once

#include <string_view>
#include <vector>

#include "server/document/field_reader.h"
#include "server/objects/decode_pod.h"
#include "server/objects/kueue_records.h"
#include "server/objects/owner_kinds.h"

namespace trellis {

struct WorkloadMaker {
  Value object;
  const Meta& meta;
  const JobRecord* job = nullptr;  // of a batch Job
  // The kind whose roles `object` has; null: that of `meta`. A TrainJob has those of its JobSet.
  const OwnerKind* roles = nullptr;
};

// Whether the object requests a workload: it is of a kind that makes workloads, and names a queue.
bool asks_for_workload(Value object, const Meta& meta, const StringTable& strings);

// The names that the workload of an owner without copies refers to are dependencies of the object
// that is being decoded, which makes its workload when others are known.
void refer_to_workload(const WorkloadMaker& maker, FieldReader& fields);

// One record for each copy; none when the object has finished. REQUIRES: asks_for_workload().
std::vector<WorkloadRecord> make_owner_workloads(const WorkloadMaker& maker, PodDecoder& pods,
                                                 FieldReader& fields);

}  // namespace trellis
