// Workloads as a table: where each is admitted, or why it waits.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "framework/workload.h"
#include "server/document/document_writer.h"
#include "server/view/text_table.h"
#include "session/cluster/cluster.h"
#include "session/record/outcomes.h"
#include "session/record/record.h"

namespace trellis {

// The number of pods that the workload is admitted with, else that it requests.
int64_t count_pods(const Cluster& cluster, const CycleRecord& record, WorkloadId id);

// Counts of Kueue's workloads, and of their pods (count_pods).
struct WorkloadSummary {
  int64_t workloads = 0;  // that have not finished
  int64_t admitted = 0;
  int64_t pods = 0;
  int64_t pods_admitted = 0;
};

WorkloadSummary summarize_workloads(const Cluster& cluster, const CycleRecord& record);

// [{"namespace","name","status","admitted","podSetAssignments":[...],"reasons":[...]}]
void write_workloads(DocumentWriter& out, const Cluster& cluster, const CycleRecord& record);

// Writes the members of one workload into the open object.
void write_workload(DocumentWriter& out, const Cluster& cluster, const CycleRecord& record,
                    WorkloadId id);

// Writes the workload's "podSetAssignments" and "reasons", where there are any.
void write_admission(DocumentWriter& out, const Cluster& cluster, const CycleRecord& record,
                     WorkloadId id);

// The flavors that the workload is admitted with, `-` without any; its domains, else why it waits.
std::string workload_flavors_text(const Cluster& cluster, const CycleRecord& record, WorkloadId id);
std::string workload_fate_text(const Cluster& cluster, const CycleRecord& record, WorkloadId id);

// A table of these workloads for people.
std::string workloads_table(const Cluster& cluster, const CycleRecord& record,
                            std::span<const WorkloadId> ids, TableForm form);

// `b1/r1: 4, b1/r2: 2`: the first few domains of the assignment.
std::string assignment_text(const StringTable& strings, const TopologyAssignment& assignment);

}  // namespace trellis
