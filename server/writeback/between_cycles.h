// The changes of the cluster between one cycle and the next, when nothing else happens:
// - Bound -> Running, started at the cycle's now, on the devices it was given;
// - a pod that was promised a node keeps the node's name;
// - Evicted, Pipelined, Releasing -> Pending under their own names, as controllers replace pods;
// - a leaving pod with a finalizer stays Releasing where it is;
// - a gang that comes up has started at the cycle's now; a gang that runs below its minimum has
//   done so since the first cycle that found it so.
//
// Where decisions are carried out, less is known of the changes until the objects confirm them
// (`assume`): bound pods are on their node and do not run yet, evicted pods are leaving, and
// promises, times and admissions are as above. A pod that a gate still keeps from being bound waits
// on.
#pragma once

#include "framework/config.h"
#include "session/cluster/cluster.h"
#include "session/record/record.h"

namespace trellis {

// REQUIRES: `record` is of a cycle on `cluster` as it is.
void pass_time(Cluster& cluster, const CycleRecord& record,
               const RequeuingStrategy& requeuing = {});
void assume(Cluster& cluster, const CycleRecord& record, const RequeuingStrategy& requeuing = {});

// Whether `assume` takes the pod for bound by the record's cycle, or for evicted. `slot`: the pod
// as the cycle found it.
bool is_bound_by(const CycleRecord& record, PodId id, const PodSlot& slot);
bool is_evicted_by(const CycleRecord& record, PodId id, const PodSlot& slot);

}  // namespace trellis
