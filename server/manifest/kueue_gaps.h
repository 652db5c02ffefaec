// What an input with Kueue's labels seems to lack of Kueue's objects, and which kinds to dump.
#pragma once

#include "server/document/field_reader.h"
#include "server/objects/kueue_records.h"

namespace trellis {

// Warns, in a line each, of objects that wait for a queue where no queues were read, and of running
// pods of Workloads that were not, whose usage no ClusterQueue shows. REQUIRES: Jobs are expanded,
// and pods were told their workloads. O(pods + owners).
void warn_of_kueue_gaps(Records& records, const KueueRecords& kueue, FieldReader& fields);

}  // namespace trellis
