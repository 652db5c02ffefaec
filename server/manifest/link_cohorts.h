// The tree of Cohorts.
#pragma once

#include "server/document/field_reader.h"
#include "server/objects/kueue_records.h"

namespace trellis {

// Cohorts on a circle lose their parent; the ClusterQueues below a circle are inactive.
void link_cohorts(KueueRecords& kueue, FieldReader& fields);

}  // namespace trellis
