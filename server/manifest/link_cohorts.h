// Checks the tree of Cohorts.
#pragma once

#include "server/document/field_reader.h"
#include "server/objects/kueue_records.h"

namespace trellis {

// Cohorts on a circle, or above 64 levels, lose their parent; the ClusterQueues below are inactive.
void link_cohorts(KueueRecords& kueue, FieldReader& fields);

}  // namespace trellis
