// Partial admission: a workload whose PodSets name a minimum is admitted with fewer pods.
#pragma once

#include "actions/workloads/nomination.h"
#include "session/cycle/session.h"

namespace trellis {

// Admits the workload with as many pods as find quota and room, its PodSets shortened in proportion
// (Kueue's podset_reducer.go). False: no PodSet may be shortened, or not even the minimum fits.
bool admit_partly(Session& session, Nominator& nominator, WorkloadId workload,
                  ClusterQueueId queue);

}  // namespace trellis
