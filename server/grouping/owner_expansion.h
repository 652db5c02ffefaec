// Expands owners into the pods and the owners that their controllers would make now.
#pragma once

#include "server/document/field_reader.h"
#include "server/grouping/made_pod.h"
#include "server/objects/records.h"

namespace trellis {

// Appends to records.owners the owners that others make (the Jobs of a JobSet, a CronJob's next
// Job, the RayCluster of a RayJob), unless they are in the input; then to records.pods the missing
// pods of all owners but Jobs (job_expansion.h). Pods that exist count for their owner by owner
// references, by the labels that their controller sets, and below a Deployment by the name of their
// ReplicaSet. An owner whose controller is an owner of pods itself makes none.
// Cost: O(owners + pods).
void expand_owners(Records& records, PodFactory& pods, FieldReader& fields);

}  // namespace trellis
