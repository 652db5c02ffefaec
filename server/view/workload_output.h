// Workloads as a table: where each is admitted, or why it waits.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "framework/workload.h"
#include "server/document/document_writer.h"
#include "server/text/style.h"
#include "session/cluster/cluster.h"
#include "session/record/record.h"

namespace trellis {

// What it is admitted with as the cycle ended; nullptr: nothing.
const Admission* admission_of(const Cluster& cluster, const CycleRecord& record, WorkloadId id);

// Pods that it is admitted with; else that it asks for.
int64_t count_pods(const Cluster& cluster, const CycleRecord& record, WorkloadId id);

// Kueue's workloads, with the pods that their rows speak of.
struct WorkloadSummary {
  int64_t workloads = 0;  // that have not finished
  int64_t admitted = 0;
  int64_t pods = 0;
  int64_t pods_admitted = 0;
};

WorkloadSummary summarize_workloads(const Cluster& cluster, const CycleRecord& record);

// [{"namespace","name","status","admitted","podSetAssignments":[...],"reasons":[...]}]
void write_workloads(DocumentWriter& out, const Cluster& cluster, const CycleRecord& record);

// One of them, inside an object that is open.
void write_workload(DocumentWriter& out, const Cluster& cluster, const CycleRecord& record,
                    WorkloadId id);

// Its "podSetAssignments" and "reasons", where there are any.
void write_admission(DocumentWriter& out, const Cluster& cluster, const CycleRecord& record,
                     WorkloadId id);

// The flavors that it is admitted with, `-` without any; its domains, else why it waits.
std::string workload_flavors_text(const Cluster& cluster, const CycleRecord& record, WorkloadId id);
std::string workload_fate_text(const Cluster& cluster, const CycleRecord& record, WorkloadId id);

// For eyes; "" when there are no workloads.
std::string workloads_table(const Cluster& cluster, const CycleRecord& record, Colours colours);

// `b1/r1: 4, b1/r2: 2`, the first few.
std::string assignment_text(const StringTable& strings, const TopologyAssignment& assignment);

}  // namespace trellis
