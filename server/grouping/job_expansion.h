// Expands batch Jobs into the pods that their controller would make now.
#pragma once

#include "server/document/field_reader.h"
#include "server/grouping/made_pod.h"
#include "server/objects/records.h"

namespace trellis {

// Appends to records.pods the missing pods of every Job: as many as may run at once, less those
// that exist; pods that succeeded count towards the completions, pods that failed are replaced
// while the backoff limit allows. Names are JOB-INDEX, or JOB-N where completions have no index.
// Sets each Job's `wanted`; where no pods are made, only that.
void expand_jobs(Records& records, PodFactory& pods, FieldReader& fields);

}  // namespace trellis
