// Workloads: what was admitted where, and why others wait.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "framework/workload.h"
#include "server/output/document_writer.h"
#include "server/output/style.h"
#include "session/cluster.h"
#include "session/record.h"

namespace trellis {

// What it is admitted with as the cycle ended; nullptr: nothing.
const Admission* admission_of(const Cluster& cluster, const CycleRecord& record, WorkloadId id);

// [{"namespace","name","admitted","podSetAssignments":[...],"reasons":[...]}]
void write_workloads(DocumentWriter& out, const Cluster& cluster, const CycleRecord& record);

// One of them, inside an object that is open.
void write_workload(DocumentWriter& out, const Cluster& cluster, const CycleRecord& record,
                    WorkloadId id);

// For eyes; "" when there are no workloads.
std::string workloads_table(const Cluster& cluster, const CycleRecord& record, Colours colours);

// `b1/r1: 4, b1/r2: 2`, the first few.
std::string assignment_text(const StringTable& strings, const TopologyAssignment& assignment);

}  // namespace trellis
