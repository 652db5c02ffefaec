// The workloads of the input, and the pods and Jobs that belong to them.
//
// Where the input holds the queues of workloads, a workload is made for Jobs and similar owners,
// for groups of pods and for single pods that name a queue; not where the input holds their
// Workload, where their owner makes a workload, or where their pods already run without one.
#pragma once

#include "server/document/field_reader.h"
#include "server/objects/kueue_records.h"

namespace trellis {

// Whether there are queues of workloads: without them no object makes a workload.
bool has_queues(const KueueRecords& kueue);

// Adds to kueue.workloads the workloads that owners and pods make.
void make_workloads(Records& records, KueueRecords& kueue, FieldReader& fields);

// Marks as finished each workload whose owners have all ended, whether its object says so or not.
void finish_workloads(const Records& records, KueueRecords& kueue);

// A Job makes no pods before its workload is admitted.
void hold_jobs(Records& records, const KueueRecords& kueue, FieldReader& fields);

// Sets the workload of each pod, and the pod's PodSet in it.
void link_workload_pods(Records& records, const KueueRecords& kueue, FieldReader& fields);

// Sets the readiness of workloads. A workload whose pods all run and are ready, or have succeeded,
// is ready, whether its object says so or not; leaving pods do not count. A workload that was ready
// and no longer is waits for recovery; since when is unknown until its object reports it. Without
// any pods the state in its object holds. REQUIRES: link_workload_pods() was called.
void report_readiness(const Records& records, KueueRecords& kueue, const StringTable& strings);

}  // namespace trellis
