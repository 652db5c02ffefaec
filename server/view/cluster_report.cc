#include "server/view/cluster_report.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "server/view/waiting.h"
#include "server/view/workload_output.h"
#include "server/wording/names_text.h"
#include "server/wording/reason_text.h"
#include "session/explain/topology_report.h"

namespace trellis {
namespace {

// The resources that people look for first.
int rank_of(ResourceId resource) {
  if (ResourceTable::is_gpu(resource)) return 0;
  if (resource == kCpu) return 1;
  return resource == kMemory ? 2 : 3;
}

class WaitingGroups {
 public:
  // Called in the order of names.
  void add(const Cluster& cluster, const Reason& reason, int64_t pods, const std::string& name) {
    WaitingGroup& group = groups_[reason.code];
    if (group.members == 0) {
      group.code = reason.code;
      group.example = name;
      group.sentence = reason_text(cluster, reason);
    }
    ++group.members;
    group.pods += pods;
  }

  std::vector<WaitingGroup> sorted() const {
    std::vector<WaitingGroup> groups;
    for (const auto& [code, group] : groups_) groups.push_back(group);
    std::stable_sort(
        groups.begin(), groups.end(),
        [](const WaitingGroup& a, const WaitingGroup& b) { return a.members > b.members; });
    return groups;
  }

 private:
  std::map<ReasonCode, WaitingGroup> groups_;
};

std::vector<WaitingGroup> waiting_gangs(const Cluster& cluster, const CycleRecord& record) {
  WaitingGroups groups;
  for (const GangSummary& gang : summarize_gangs(cluster, record)) {
    const GangOutcome& outcome = record.gangs[gang.gang];
    if (!waits(outcome)) continue;
    groups.add(cluster, outcome.reasons.front(), gang.pods - gang.placed,
               full_name(cluster, gang.gang));
  }
  return groups.sorted();
}

std::vector<WaitingGroup> waiting_workloads(const Cluster& cluster, const CycleRecord& record) {
  WaitingGroups groups;
  for (WorkloadId id : cluster.workloads().by_name(cluster.vocabulary().strings)) {
    const WorkloadOutcome& outcome = record.workloads[id];
    if (!waits(outcome)) continue;
    groups.add(cluster, outcome.reasons->front(), count_pods(cluster, record, id),
               full_name(cluster, id));
  }
  return groups.sorted();
}

}  // namespace

std::vector<ClusterUsage> cluster_usage(const Session& session) {
  const Cluster& cluster = session.cluster();
  const ResourceTable& resources = cluster.vocabulary().resources;
  std::vector<ClusterUsage> usage;
  for (uint32_t i = 0; i < resources.size(); ++i) {
    ClusterUsage sum{.resource = ResourceId(i)};
    if (sum.resource == kPods) continue;
    for (NodeId node : cluster.nodes_by_name()) {
      NodeUsage one = measure_usage(session, sum.resource, node);
      sum.available += one.available;
      sum.unavailable += one.unavailable;
      sum.allocated += one.allocated;
    }
    if (sum.allocatable() > 0) usage.push_back(sum);
  }
  std::sort(usage.begin(), usage.end(), [&](const ClusterUsage& a, const ClusterUsage& b) {
    return std::tuple(rank_of(a.resource), resources.name(a.resource)) <
           std::tuple(rank_of(b.resource), resources.name(b.resource));
  });
  return usage;
}

ClusterReport report_cluster(Session& session, const CycleRecord& record) {
  const Cluster& cluster = session.cluster();
  ClusterReport report;
  report.sums = summarize(cluster, record);
  report.workload_sums = summarize_workloads(cluster, record);
  for (NodeId node : cluster.nodes_by_name()) {
    report.closed_nodes += is_closed(cluster.nodes()[node]) ? 1 : 0;
  }
  report.usage = cluster_usage(session);
  report.gpus = report_gpus(session);
  if (const DeviceAllocator* allocator = session.hooks().device_allocator; allocator != nullptr) {
    report.devices = allocator->devices_by_driver();
  }
  report.queues = report_queues(session);
  report.cluster_queues = report_cluster_queues(session);
  report.gangs = waiting_gangs(cluster, record);
  report.workloads = waiting_workloads(cluster, record);
  for (const GangSummary& gang : summarize_gangs(cluster, record)) {
    GangStatus status = record.gangs[gang.gang].status;
    bool leaves = status == GangStatus::Evicted || status == GangStatus::Releasing;
    report.leaving_gangs += leaves ? 1 : 0;
  }
  for (WorkloadId id : cluster.workloads().by_name(cluster.vocabulary().strings)) {
    report.leaving_workloads += record.workloads[id].status == WorkloadStatus::Evicted ? 1 : 0;
  }
  return report;
}

}  // namespace trellis
