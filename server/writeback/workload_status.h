// The status of a Workload, as Kueue writes it.
#pragma once

#include "server/document/json_objects.h"
#include "server/kueue/assignment_encoder.h"
#include "server/writeback/notes.h"
#include "session/cluster/cluster.h"

namespace trellis {

struct StatusSource {
  const Cluster& cluster;
  const Workload& workload;
  const WorkloadNote& note;
  AssignmentForm form = AssignmentForm::Compact;
  TimeUs now = 0;
};

// Sets the admission, requeueState and the conditions QuotaReserved, Admitted, Evicted, Preempted,
// Requeued, PodsReady and Finished; a condition that holds already keeps its time. O(size of the
// admission).
void write_status(Json& object, const StatusSource& source);

// Sets the annotation with what the workload is promised, or removes it. O(size of the promise).
void write_promise(Json& object, const StatusSource& source);

// Whether the workload's pods may run.
bool is_started(const Workload& workload);

}  // namespace trellis
