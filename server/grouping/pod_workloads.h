// The workloads that pods make by themselves: alone, or as a group that their labels name.
#pragma once

#include <vector>

#include "server/document/field_reader.h"
#include "server/objects/kueue_records.h"

namespace trellis {

// The workload of pods in one namespace that name one group, or of a single pod that names none;
// `pods` is in order of name. One PodSet a role. A group that lacks pods waits for them.
WorkloadRecord make_pod_workload(const std::vector<const PodRecord*>& pods, FieldReader& fields);

}  // namespace trellis
