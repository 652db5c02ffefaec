// Which workloads there are, and which pods and Jobs are theirs.
//
// Where the input holds the queues of workloads, Jobs and their like, groups of pods and single
// pods that name one make a workload; not those whose Workload is there, whose owner makes one, or
// whose pods run already without.
#pragma once

#include "server/document/field_reader.h"
#include "server/objects/kueue_records.h"

namespace trellis {

// Whether there are queues of workloads: without them nothing makes any.
bool has_queues(const KueueRecords& kueue);

// Adds to kueue.workloads what owners and pods make.
void make_workloads(Records& records, KueueRecords& kueue, FieldReader& fields);

// A workload whose owners have all come to their end has finished, whether its object says so or
// not.
void finish_workloads(const Records& records, KueueRecords& kueue);

// A Job makes no pods before its workload is admitted.
void hold_jobs(Records& records, const KueueRecords& kueue, FieldReader& fields);

// Tells pods their workload and their PodSet in it.
void link_workload_pods(Records& records, const KueueRecords& kueue, FieldReader& fields);

// A workload whose pods all run and are ready, or have succeeded, is ready, whether its object says
// so or not; pods that leave do not count. One that was and is not any more waits for recovery,
// since a time that its object will tell. Without any pods its object's word stands. REQUIRES: the
// pods were told their workloads.
void report_readiness(const Records& records, KueueRecords& kueue, const StringTable& strings);

}  // namespace trellis
