#include "session/recorder.h"

#include <span>
#include <vector>

#include "framework/gang_minimum.h"
#include "session/node_gpus.h"
#include "session/placement/gang_placement.h"

namespace trellis {
namespace {

struct StatusCounts {
  int64_t pods = 0, bound = 0, pipelined = 0, evicted = 0, releasing = 0;

  void add(PodStatus status) {
    ++pods;
    bound += status == PodStatus::Bound ? 1 : 0;
    pipelined += status == PodStatus::Pipelined ? 1 : 0;
    evicted += status == PodStatus::Evicted ? 1 : 0;
    releasing += status == PodStatus::Releasing ? 1 : 0;
  }
  void add(const StatusCounts& more) {
    pods += more.pods;
    bound += more.bound;
    pipelined += more.pipelined;
    evicted += more.evicted;
    releasing += more.releasing;
  }
};

// Of a gang or subgroup that has its minimum, or not.
GangStatus status_of(const StatusCounts& counts, bool met) {
  if (met) {
    if (counts.pipelined > 0) return GangStatus::Pipelined;
    return counts.bound > 0 ? GangStatus::Scheduled : GangStatus::Running;
  }
  if (counts.evicted > 0) return GangStatus::Evicted;
  bool all_leave = counts.releasing > 0 && counts.releasing == counts.pods;
  return all_leave ? GangStatus::Releasing : GangStatus::Pending;
}

void record_gang(const Session& session, GangId id, CycleRecord& record) {
  const Cluster& cluster = session.cluster();
  const Snapshot& snapshot = session.snapshot();
  const Gang& gang = cluster.gangs()[id];
  GangOutcome& outcome = record.gangs[id];
  std::vector<StatusCounts> parts(gang.subgroups.size());
  StatusCounts whole;
  for (PodId pod : cluster.pods_of(id)) {
    whole.add(record.pods[pod].status);
    int32_t subgroup = snapshot.key(pod).subgroup;
    if (subgroup >= 0) parts[static_cast<size_t>(subgroup)].add(record.pods[pod].status);
  }
  outcome.status = status_of(whole, session.has_minimum(id));
  outcome.placement = gang_placement(cluster, snapshot, id);
  int32_t rank = 0;
  for (PodId pod : session.ranked_pods(id)) {
    if (stays(record.pods[pod].status)) record.pods[pod].rank = rank;
    ++rank;
  }
  if (gang.subgroups.empty()) return;
  std::vector<bool> met = subgroups_with_minimum(gang, snapshot.subgroup_counts()[id]);
  outcome.subgroups.resize(gang.subgroups.size());
  for (size_t i = gang.subgroups.size(); i-- > 0;) {
    outcome.subgroups[i].status = status_of(parts[i], met[i]);
    outcome.subgroups[i].placement =
        subgroup_placement(cluster, snapshot, id, static_cast<int32_t>(i));
    int32_t parent = gang.subgroups[i].parent;
    if (parent >= 0) parts[static_cast<size_t>(parent)].add(parts[i]);
  }
}

}  // namespace

CycleRecord make_record(const Session& session) {
  const Cluster& cluster = session.cluster();
  const Snapshot& snapshot = session.snapshot();
  CycleRecord record;
  record.now = session.now();
  record.pods.resize(cluster.pods().size());
  for (uint32_t i = 0; i < cluster.pods().size(); ++i) {
    PodId pod(i);
    if (!cluster.alive(pod)) continue;
    PodState state = snapshot.pod(pod);
    PodOutcome& outcome = record.pods[pod];
    outcome.status = state.status;
    outcome.node = state.node;
    if (state.node.valid()) outcome.gpus = snapshot.grant(pod);
  }
  for (const ActionDecision& decided : session.decisions()) {
    PodOutcome& outcome = record.pods[decided.decision.pod];
    outcome.action = decided.action;
    Decided& kept = record.decisions.emplace_back();
    kept.decision = decided.decision;
    kept.action = decided.action;
    const GpuGrant& devices = snapshot.grant(decided.decision.pod);
    kept.devices.assign(devices.begin(), devices.end());
    if (decided.decision.kind != Decision::Kind::Evict) continue;
    outcome.evicted = outcome.status == PodStatus::Pipelined;
    record.evictions.push_back(
        {decided.decision.pod, decided.decision.by, decided.action, decided.decision.by_workload});
  }
  record.gangs.resize(cluster.gangs().size());
  for (uint32_t i = 0; i < cluster.gangs().size(); ++i) {
    GangId gang(i);
    if (!cluster.alive(gang)) continue;
    GangOutcome& outcome = record.gangs[gang];
    record_gang(session, gang, record);
    std::span<const Reason> reasons = session.reasons(gang);
    outcome.reasons.assign(reasons.begin(), reasons.end());
  }
  for (const ActionDecision& decided : session.decisions()) {
    PodOutcome& outcome = record.pods[decided.decision.pod];
    if (decided.decision.kind != Decision::Kind::Bind) continue;
    for (const auto& hook : session.hooks().before_binds) {
      hook.point->before_bind(decided.decision.pod, outcome.node, outcome.rank, outcome.notes);
    }
  }
  for (const auto& describer : session.hooks().describers) {
    for (uint32_t i = 0; i < record.pods.size(); ++i) {
      PodOutcome& outcome = record.pods[PodId(i)];
      if (!stays(outcome.status) || !outcome.node.valid()) continue;
      describer.point->describe(PodId(i), outcome.node, outcome.description);
    }
  }
  record.nodes = count_node_gpus(cluster, snapshot);
  record.workload_decisions = session.workload_decisions();
  record.workloads = session.workload_outcomes();
  return record;
}

}  // namespace trellis
