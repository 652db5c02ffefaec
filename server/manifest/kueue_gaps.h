// Warnings about the objects of Kueue that an input with Kueue's labels seems to lack, and which
// kinds to dump.
#pragma once

#include "server/document/field_reader.h"
#include "server/objects/kueue_records.h"

namespace trellis {

// Warns, with one line each, about objects that wait for a queue where no queues were read, and
// about running pods of Workloads that were not read, whose usage no ClusterQueue contains.
// REQUIRES: Jobs are expanded, and link_workload_pods() was called. O(pods + owners).
void warn_of_kueue_gaps(Records& records, const KueueRecords& kueue, FieldReader& fields);

}  // namespace trellis
