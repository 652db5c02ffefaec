// Pods, those of workloads included, and the volumes that their claims are bound to, or wait for.
#pragma once

#include "server/document/field_reader.h"
#include "server/objects/kueue_records.h"
#include "server/objects/records.h"
#include "session/cluster/objects.h"

namespace trellis {

// Sets what the volumes of each pod require of its node (PodVolumes), and what the drivers of each
// node allow (NodeStorage). A claim that is absent, lost, leaving or of another object, that is not
// bound and does not wait for a pod, or whose volume is absent or broken, holds its pods. What
// holds pods is reported once for all. The same for the PodSets of workloads, which claims never
// hold: their pods will wait. Cost: O(pods and PodSets with claims + claims + volumes +
// attachments).
void link_volumes(Records& records, KueueRecords& kueue, FieldReader& fields);

// Moves the volumes that claims may still be bound to, and the storage pools. REQUIRES: linked.
void move_storage(Records& records, Objects& objects);

}  // namespace trellis
