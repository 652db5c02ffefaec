// The state of a cluster on one screen: what is used, free and stranded, the largest gang of each
// level, what queues hold, and what waits and why.
//
// Cost: that of report_gpus() and of the queues' reports, and a pass over nodes and gangs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "server/document/document_writer.h"
#include "server/view/bar.h"
#include "server/view/gang_summary.h"
#include "server/view/text_table.h"
#include "session/explain/cluster_queue_report.h"
#include "session/explain/gpu_report.h"
#include "session/explain/queue_report.h"
#include "session/record/record.h"

namespace trellis {

// As NodeUsage, of all nodes.
struct ClusterUsage {
  ResourceId resource;
  int64_t available = 0;
  int64_t unavailable = 0;
  int64_t allocated = 0;
  int64_t allocatable() const { return available + unavailable + allocated; }
};

// Gangs, or workloads, that wait for the same first reason.
struct WaitingGroup {
  ReasonCode code = ReasonCode::None;
  int64_t members = 0;
  int64_t pods = 0;      // of them: without a place
  std::string example;   // the first by name
  std::string sentence;  // why that one waits
};

struct ClusterReport {
  CycleSummary sums;
  WorkloadSummary workload_sums;
  int64_t closed_nodes = 0;
  std::vector<ClusterUsage> usage;  // GPUs, CPUs, memory, then the others by name
  GpuReport gpus;
  std::vector<DriverDevices> devices;  // for claims
  std::vector<QueueReport> queues;
  std::vector<ClusterQueueReport> cluster_queues;
  std::vector<WaitingGroup> gangs;      // most members first
  std::vector<WaitingGroup> workloads;  // the same
  int64_t leaving_gangs = 0;            // evicted, or being deleted
  int64_t leaving_workloads = 0;
};

// REQUIRES: the session is as the cycle of `record` left it.
ClusterReport report_cluster(Session& session, const CycleRecord& record);

// What is allocated of each resource in all nodes, in the order of ClusterReport::usage.
std::vector<ClusterUsage> cluster_usage(const Session& session);

// "resources":[{"name","allocatable","allocated","free","closed"}] in the open object; exact.
void write_usage(DocumentWriter& out, const ResourceTable& resources,
                 const std::vector<ClusterUsage>& usage);

std::string cluster_report_text(const Session& session, const ClusterReport& report, Glyphs glyphs,
                                TableForm form);

// {"nodes","closedNodes","gangs","pods","resources":[...],"gpus":{...},"devices":[...],"queues":[...],
// "clusterQueues":[...],"waiting":{"gangs":[...],"workloads":[...]},
// "leaving":{"gangs","workloads"}}; writes and finishes the document.
void write_cluster_report(DocumentWriter& out, const Session& session, const ClusterReport& report);

}  // namespace trellis
