// What happens to the cluster between one cycle and the next, when nothing else happens:
// - Bound -> Running, started at the cycle's now, on the devices it was given;
// - a pod that was promised a node remembers which;
// - Evicted, Pipelined, Releasing -> Pending under their own names, as controllers replace pods;
// - a leaving pod with a finalizer stays Releasing where it is;
// - a gang that comes up started at the cycle's now; one that runs below its minimum has done so
//   since the first cycle that saw it.
//
// Where decisions are carried out, less is known of what will have happened, until it is seen
// (`assume`): bound pods stand where they were bound and do not run yet, those that were told to
// leave are leaving, and promises, times and admissions are as above. A pod that a gate still keeps
// from being bound waits on.
#pragma once

#include "framework/config.h"
#include "session/cluster/cluster.h"
#include "session/record/record.h"

namespace trellis {

// REQUIRES: `record` is of a cycle on `cluster` as it stands.
void pass_time(Cluster& cluster, const CycleRecord& record,
               const RequeuingStrategy& requeuing = {});
void assume(Cluster& cluster, const CycleRecord& record, const RequeuingStrategy& requeuing = {});

// What `assume` takes for bound with the record's cycle, and for evicted. `slot`: as the
// cycle found it.
bool is_bound_by(const CycleRecord& record, PodId id, const PodSlot& slot);
bool is_evicted_by(const CycleRecord& record, PodId id, const PodSlot& slot);

}  // namespace trellis
