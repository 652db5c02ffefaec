#include "server/writeback/between_cycles.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "framework/moved_gpus.h"
#include "plugins/numa/numa_hint.h"
#include "server/objects/numa_notes.h"
#include "server/writeback/claims_between.h"
#include "server/writeback/device_names.h"
#include "session/cluster/gang_life.h"
#include "session/record/touched.h"

namespace trellis {
namespace {

// The next state of a pod.
struct Next {
  PodStatus status = PodStatus::Pending;
  NodeId node;
  TimeUs started = kNoTime;
  TimeUs leaving_since = kNoTime;
};

// False for a pod that does not change, or that is bound to a node that does not exist.
bool changes(const Cluster& cluster, PodId id, const PodOutcome& outcome, Next& next) {
  const PodSlot& slot = cluster.pods()[id];
  switch (outcome.status) {
    case PodStatus::Bound:
      return next.node.valid();
    case PodStatus::Evicted:
    case PodStatus::Releasing:
      if (!slot.pod.finalizer) next = {};
      return !(slot.pod.finalizer && slot.pod.status == PodStatus::Releasing);
    case PodStatus::Pipelined:
      if (!(outcome.evicted && slot.pod.finalizer)) next = {};
      return true;
    default:
      return false;
  }
}

Next next_of(const Cluster& cluster, PodId id, const PodOutcome& outcome, TimeUs now) {
  if (outcome.status == PodStatus::Bound) return {PodStatus::Running, outcome.node, now, kNoTime};
  const PodSlot& slot = cluster.pods()[id];
  bool leaves_already = slot.pod.leaving_since != kNoTime;
  return {PodStatus::Releasing, slot.node, slot.pod.started,
          leaves_already ? slot.pod.leaving_since : now};
}

std::vector<StrId> intern_all(Cluster& cluster, const std::vector<std::string>& names) {
  std::vector<StrId> interned;
  for (const std::string& name : names) {
    interned.push_back(cluster.vocabulary().strings.intern(name));
  }
  return interned;
}

// The zones that were written to the pod when it was bound; as before where none were.
SharedValue<PodContainers> noted_zones(const Cluster& cluster, const Pod& pod,
                                       const std::vector<BindNote>& notes) {
  std::string_view hint;
  std::string_view report;
  for (const BindNote& note : notes) {
    if (note.key == kNumaHint) hint = note.value;
    if (note.key == kNumaReport) report = note.value;
  }
  if (!pod.containers || (hint.empty() && report.empty())) return pod.containers;
  PodContainers containers = *pod.containers;
  read_numa_notes(hint, report, cluster.vocabulary().strings, containers);
  return SharedValue(std::move(containers));
}

void move(Cluster& cluster, PodId id, const Next& next, std::vector<StrId> groups,
          const std::vector<BindNote>& notes) {
  const PodSlot& slot = cluster.pods()[id];
  bool leaves = next.leaving_since != kNoTime;
  const PodSpec& spec = cluster.pod_classes()[slot.pod_class];
  bool asks_otherwise = next.status == PodStatus::Pending && spec.replacement;
  SharedValue<PodContainers> containers = noted_zones(cluster, slot.pod, notes);
  bool same = groups == slot.pod.gpu_groups.all() && containers == slot.pod.containers;
  if (same && !leaves && !asks_otherwise) {
    return cluster.set_pod(id, next.status, next.node, next.started);
  }
  Pod pod = slot.pod;
  pod.containers = std::move(containers);
  pod.status = next.status;
  pod.node = next.node.valid() ? cluster.nodes()[next.node].name : std::string();
  pod.started = next.started;
  pod.leaving_since = next.leaving_since;
  pod.promised.clear();
  pod.gpu_groups = std::move(groups);
  PodSpec next_spec = spec;
  if (asks_otherwise) become_replacement(next_spec);
  cluster.upsert(std::move(pod), std::move(next_spec));
}

void pass_time_for(Cluster& cluster, PodId id, const CycleRecord& record,
                   const DeviceNames& devices) {
  const PodOutcome& outcome = record.pods[id];
  const Pod& pod = cluster.pods()[id].pod;
  Next next = next_of(cluster, id, outcome, record.now);
  if (changes(cluster, id, outcome, next)) {
    std::vector<StrId> names;
    if (next.status == PodStatus::Running) names = intern_all(cluster, devices.of(outcome));
    if (next.status == PodStatus::Releasing) names = pod.gpu_groups.all();
    move(cluster, id, next, std::move(names), outcome.details().notes);
    bool promised = outcome.status == PodStatus::Pipelined && next.status == PodStatus::Pending;
    if (promised) cluster.set_promise(id, outcome.node);
  } else if (outcome.status == PodStatus::Pending) {
    cluster.set_promise(id, NodeId());
  } else if (outcome.status == PodStatus::Running && pod.gpu_groups.empty() &&
             !outcome.gpus.empty()) {
    // The pod never named the devices it holds; now that it shares them it must.
    move(cluster, id, {pod.status, outcome.node, pod.started, kNoTime},
         intern_all(cluster, devices.of(outcome)), {});
  }
}

void assume_for(Cluster& cluster, PodId id, const CycleRecord& record, const DeviceNames& devices) {
  const PodOutcome& outcome = record.pods[id];
  const PodSlot& slot = cluster.pods()[id];
  if (is_bound_by(record, id, slot)) {
    return move(cluster, id, {PodStatus::Bound, outcome.node, kNoTime, kNoTime},
                intern_all(cluster, devices.of(outcome)), outcome.details().notes);
  }
  if (is_evicted_by(record, id, slot)) {
    return move(cluster, id, {PodStatus::Releasing, slot.node, slot.pod.started, record.now},
                slot.pod.gpu_groups.all(), {});
  }
  if (slot.pod.status != PodStatus::Pending) return;
  bool promised = outcome.status == PodStatus::Pipelined;
  cluster.set_promise(id, promised ? outcome.node : NodeId());
}

// Whether pods of the gang are bound now, and none had a node before.
bool is_begun_by(const CycleRecord& record, const Cluster& cluster, GangId gang) {
  bool bound = false;
  for (PodId pod : cluster.pods_of(gang)) {
    if (is_active(cluster.pods()[pod].pod.status)) return false;
    bound = bound || is_bound_by(record, pod, cluster.pods()[pod]);
  }
  return bound;
}

// Whether pods of the gang run now, and none ran before.
bool came_up(const Cluster& cluster, GangId gang, const CycleRecord& record) {
  bool bound = false;
  for (PodId pod : cluster.pods_of(gang)) {
    PodStatus status = record.pods[pod].status;
    if (status == PodStatus::Running) return false;
    bound = bound || (status == PodStatus::Bound && record.pods[pod].node.valid());
  }
  return bound;
}

void set_times(Cluster& cluster, GangId id, TimeUs started, const CycleRecord& record) {
  const Gang& gang = cluster.gangs()[id];
  TimeUs stale_since = kNoTime;
  if (runs_below_minimum(cluster, id)) {
    stale_since = gang.stale_since == kNoTime ? record.now : gang.stale_since;
  }
  cluster.set_gang_times(id, started, stale_since);
}

template <class Id>
void keep_alive_ones(const Cluster& cluster, std::vector<Id>& ids) {
  std::erase_if(ids, [&](Id id) { return !cluster.alive(id); });
}

// The outcomes of all other pods were applied after an earlier cycle.
std::vector<PodId> pods_that_may_change(const Cluster& cluster, const CycleRecord& record) {
  std::vector<PodId> pods = touched_pods(record);
  const std::vector<PodId>& promised = cluster.promised_pods();
  pods.insert(pods.end(), promised.begin(), promised.end());
  std::sort(pods.begin(), pods.end());
  pods.erase(std::unique(pods.begin(), pods.end()), pods.end());
  keep_alive_ones(cluster, pods);
  return pods;
}

std::vector<GangId> gangs_that_may_change(const Cluster& cluster, const CycleRecord& record) {
  std::vector<GangId> gangs = touched_gangs(record);
  keep_alive_ones(cluster, gangs);
  return gangs;
}

// Makes the pod as its controller would make it again: it waits for its workload, with the node
// selector and tolerations of its PodSet. A pod on a node that is not in the input was not evicted
// with the others, and leaves.
void renew_pod(Cluster& cluster, PodId id, const Workload& workload, TimeUs now) {
  const PodSlot& slot = cluster.pods()[id];
  Pod pod = slot.pod;
  PodSpec spec = cluster.pod_classes()[slot.pod_class];
  for (const PodSet& set : workload.pod_sets) {
    if (set.name != pod.pod_set) continue;
    spec.node_selector = set.spec.node_selector;
    spec.tolerations = set.spec.tolerations;
  }
  if (pod.status == PodStatus::Pending && pod.hold == PodHold::None) pod.hold = PodHold::Workload;
  if (is_active(pod.status) && !slot.node.valid()) {
    pod.status = PodStatus::Releasing;
    pod.leaving_since = now;
  }
  cluster.upsert(std::move(pod), std::move(spec));
}

void add_flavor(PodSpec& spec, const Flavor& flavor) {
  for (const Label& label : flavor.node_labels) {
    if (!find_label(spec.node_selector, label.key).valid()) spec.node_selector.push_back(label);
  }
  std::sort(spec.node_selector.begin(), spec.node_selector.end());
  for (const Toleration& toleration : flavor.tolerations) {
    auto& list = spec.tolerations;
    if (std::find(list.begin(), list.end(), toleration) == list.end()) list.push_back(toleration);
  }
}

void give_flavors(Cluster& cluster, PodId id, const Admission& admission) {
  const PodSlot& slot = cluster.pods()[id];
  Pod pod = slot.pod;
  PodSpec spec = cluster.pod_classes()[slot.pod_class];
  const WorkloadRecords& records = cluster.workloads();
  for (const PodSetAdmission& set : admission.pod_sets) {
    if (set.name != pod.pod_set) continue;
    for (const auto& [resource, name] : set.flavors) {
      FlavorId flavor = records.flavors().find(cluster.vocabulary().strings.view(name));
      if (flavor.valid()) add_flavor(spec, records.flavors()[flavor]);
    }
  }
  cluster.upsert(std::move(pod), std::move(spec));
}

TimeUs backoff(int32_t times, const RequeuingStrategy& requeuing) {
  TimeUs length = requeuing.backoff_base_us;
  TimeUs longest = requeuing.backoff_max_us;
  for (int32_t i = 1; i < times && length > 0 && length < longest; ++i) length *= 2;
  return std::min(length, longest);
}

// The workload does not come back on its own; once it is made active again it has all its tries.
void deactivate(Workload& workload) {
  workload.active = false;
  workload.requeues = 0;
  workload.requeue_at = kNoTime;
}

// Notes what the workload is promised; nothing with a null admission.
void set_promise(Cluster& cluster, const WorkloadDecision& decision) {
  std::optional<Admission> promised;
  if (decision.admission != nullptr) promised = *decision.admission;
  if (promised) promised->reserved_at = kNoTime;
  if (cluster.workloads()[decision.workload].promised == promised) return;
  cluster.edit(decision.workload).promised = std::move(promised);
}

void leave(Cluster& cluster, const WorkloadDecision& decision, TimeUs now,
           const RequeuingStrategy& requeuing) {
  Workload& workload = cluster.edit(decision.workload);
  workload.admission.reset();
  workload.promised.reset();
  workload.pods_ready = PodsReady::Unknown;
  workload.pods_ready_since = kNoTime;
  workload.ever_ready = false;
  workload.unhealthy_nodes.clear();
  workload.timed_out = decision.reason.code == ReasonCode::PodsReadyTimeout;
  bool moves_back = workload.timed_out && requeuing.timestamp == RequeueTime::Eviction;
  workload.queued = moves_back ? now : workload.created;
  if (workload.timed_out) workload.requeue_at = now + backoff(++workload.requeues, requeuing);
  bool tried_enough = decision.reason.code == ReasonCode::DeactivatedDueToRequeuingLimitExceeded;
  if (tried_enough) deactivate(workload);
  std::vector<PodId> pods = cluster.workloads().pods_of(decision.workload);
  for (PodId pod : pods) renew_pod(cluster, pod, cluster.workloads()[decision.workload], now);
}

// The workload's pods are requested, and not ready yet.
void start(Workload& workload, TimeUs now) {
  workload.pods_ready = PodsReady::Waiting;
  workload.pods_ready_since = now;
  workload.ever_ready = false;
}

void pass_time_for(Cluster& cluster, const WorkloadDecision& decision, TimeUs now,
                   const RequeuingStrategy& requeuing) {
  if (decision.kind == WorkloadDecision::Kind::Await) return;
  if (evicts(decision)) leave(cluster, decision, now, requeuing);
  bool waits = promises(decision) || decision.kind == WorkloadDecision::Kind::Lapse;
  if (waits) set_promise(cluster, decision);
  if (waits || evicts(decision)) return;
  Workload& workload = cluster.edit(decision.workload);
  workload.admission = *decision.admission;
  workload.promised.reset();
  workload.unhealthy_nodes.clear();
  bool moved = decision.kind != WorkloadDecision::Kind::Admit;
  if (!workload.checks_pending && workload.pods_ready == PodsReady::Unknown) start(workload, now);
  if (moved) return;
  workload.admission->reserved_at = now;
  workload.queued = workload.created;
  workload.timed_out = false;
  if (workload.checks_pending) return;
  std::vector<PodId> pods = cluster.workloads().pods_of(decision.workload);
  for (PodId pod : pods) give_flavors(cluster, pod, *decision.admission);
}

// What defragmentation moves counts against its hour.
void count_moves(Cluster& cluster, const CycleRecord& record) {
  int64_t moved = 0;
  for (const Decision& decision : record.decisions) {
    bool moves = decision.kind == Decision::Kind::Evict && decision.action == kDefragmentation;
    if (!moves) continue;
    moved += held_gpu_milli(cluster.pod_classes()[cluster.pods()[decision.pod].pod_class]);
  }
  if (moved > 0) cluster.set_moved_gpus(cluster.moved_gpus().with(record.now, moved));
}

}  // namespace

bool is_bound_by(const CycleRecord& record, PodId id, const PodSlot& slot) {
  return slot.pod.status == PodStatus::Pending && slot.pod.hold == PodHold::None &&
         record.pods[id].status == PodStatus::Bound && record.pods[id].node.valid();
}

bool is_evicted_by(const CycleRecord& record, PodId id, const PodSlot& slot) {
  const PodOutcome& outcome = record.pods[id];
  return is_active(slot.pod.status) && (outcome.status == PodStatus::Evicted || outcome.evicted);
}

void assume(Cluster& cluster, const CycleRecord& record, const RequeuingStrategy& requeuing) {
  count_moves(cluster, record);
  allocate_claims(cluster, record);
  DeviceNames devices(cluster, record);
  std::vector<GangId> gangs = gangs_that_may_change(cluster, record);
  std::vector<TimeUs> started;
  for (GangId gang : gangs) {
    bool begun = is_begun_by(record, cluster, gang);
    started.push_back(begun ? record.now : cluster.gangs()[gang].started);
  }
  for (PodId pod : pods_that_may_change(cluster, record)) assume_for(cluster, pod, record, devices);
  for (size_t i = 0; i < gangs.size(); ++i) set_times(cluster, gangs[i], started[i], record);
  for (const WorkloadDecision& decision : record.workload_decisions) {
    pass_time_for(cluster, decision, record.now, requeuing);
  }
}

void pass_time(Cluster& cluster, const CycleRecord& record, const RequeuingStrategy& requeuing) {
  count_moves(cluster, record);
  allocate_claims(cluster, record);
  DeviceNames devices(cluster, record);
  std::vector<PodId> pods = pods_that_may_change(cluster, record);
  std::vector<PodId> with_devices = pods_with_devices(cluster, pods);
  for (PodId pod : pods) pass_time_for(cluster, pod, record, devices);
  release_claims(cluster, with_devices);
  for (GangId id : gangs_that_may_change(cluster, record)) {
    TimeUs started = came_up(cluster, id, record) ? record.now : cluster.gangs()[id].started;
    set_times(cluster, id, started, record);
  }
  for (const WorkloadDecision& decision : record.workload_decisions) {
    pass_time_for(cluster, decision, record.now, requeuing);
  }
}

}  // namespace trellis
