// kueue.x-k8s.io ClusterQueue, Cohort, LocalQueue and AdmissionCheck.
#pragma once

#include "server/document/field_reader.h"
#include "server/objects/kueue_records.h"

namespace trellis {

// Errors are only reported. RecordKeeper keeps the first of them with the record, and the
// ClusterQueue is inactive for this reason.
ClusterQueueRecord decode_cluster_queue(Value object, FieldReader& fields);

CohortRecord decode_cohort(Value object, FieldReader& fields);

LocalQueueRecord decode_local_queue(Value object, FieldReader& fields);

AdmissionCheckRecord decode_admission_check(Value object, FieldReader& fields);

}  // namespace trellis
