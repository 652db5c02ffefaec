#include "server/simulate/between_cycles.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "session/gang_life.h"

namespace trellis {
namespace {

using DeviceGroups = std::map<std::pair<NodeId, int32_t>, StrId>;

// What a pod becomes.
struct Next {
  PodStatus status = PodStatus::Pending;
  NodeId node;
  TimeUs started = kNoTime;
  TimeUs leaving_since = kNoTime;
};

// Nothing of a pod that does not change, or that is bound to a node which is not there.
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

// The names that pods on shared devices already use for them.
DeviceGroups groups_in_use(const Cluster& cluster, const CycleRecord& record) {
  DeviceGroups groups;
  for (uint32_t i = 0; i < record.pods.size(); ++i) {
    const PodOutcome& outcome = record.pods[PodId(i)];
    const std::vector<StrId>& names = cluster.pods()[PodId(i)].pod.gpu_groups;
    if (outcome.gpus.empty() || names.size() != outcome.gpus.size()) continue;
    for (size_t k = 0; k < names.size(); ++k) {
      groups.try_emplace({outcome.node, outcome.gpus[k].device}, names[k]);
    }
  }
  return groups;
}

// Names for the devices that a pod holds; a device that has none yet is named by its number.
std::vector<StrId> name_devices(Cluster& cluster, const PodOutcome& outcome,
                                const DeviceGroups& groups) {
  std::vector<StrId> names;
  for (const GpuPart& part : outcome.gpus) {
    auto found = groups.find({outcome.node, part.device});
    names.push_back(found != groups.end()
                        ? found->second
                        : cluster.vocabulary().strings.intern(std::to_string(part.device)));
  }
  return names;
}

void move(Cluster& cluster, PodId id, const Next& next, std::vector<StrId> groups) {
  const PodSlot& slot = cluster.pods()[id];
  bool leaves = next.leaving_since != kNoTime;
  if (groups == slot.pod.gpu_groups && !leaves) {
    return cluster.set_pod(id, next.status, next.node, next.started);
  }
  Pod pod = slot.pod;
  pod.status = next.status;
  pod.node = next.node.valid() ? cluster.nodes()[next.node].name : std::string();
  pod.started = next.started;
  pod.leaving_since = next.leaving_since;
  pod.gpu_groups = std::move(groups);
  cluster.upsert(std::move(pod), PodSpec(cluster.pod_classes()[slot.pod_class]));
}

void pass_time_for(Cluster& cluster, PodId id, const CycleRecord& record,
                   const DeviceGroups& groups) {
  const PodOutcome& outcome = record.pods[id];
  const Pod& pod = cluster.pods()[id].pod;
  Next next = next_of(cluster, id, outcome, record.now);
  if (changes(cluster, id, outcome, next)) {
    std::vector<StrId> names;
    if (next.status == PodStatus::Running) names = name_devices(cluster, outcome, groups);
    if (next.status == PodStatus::Releasing) names = pod.gpu_groups;
    move(cluster, id, next, std::move(names));
    bool promised = outcome.status == PodStatus::Pipelined && next.status == PodStatus::Pending;
    if (promised) cluster.set_promise(id, outcome.node);
  } else if (outcome.status == PodStatus::Pending) {
    cluster.set_promise(id, NodeId());
  } else if (outcome.status == PodStatus::Running && pod.gpu_groups.empty() &&
             !outcome.gpus.empty()) {
    // It never said which devices it holds; now that it has neighbours it must.
    move(cluster, id, {pod.status, outcome.node, pod.started, kNoTime},
         name_devices(cluster, outcome, groups));
  }
}

// Pods of it run now, and none did before.
bool came_up(const Cluster& cluster, GangId gang, const CycleRecord& record) {
  bool bound = false;
  for (PodId pod : cluster.pods_of(gang)) {
    PodStatus status = record.pods[pod].status;
    if (status == PodStatus::Running) return false;
    bound = bound || (status == PodStatus::Bound && record.pods[pod].node.valid());
  }
  return bound;
}

void pass_time_for(Cluster& cluster, GangId id, const CycleRecord& record) {
  const Gang& gang = cluster.gangs()[id];
  TimeUs started = came_up(cluster, id, record) ? record.now : gang.started;
  TimeUs stale_since = kNoTime;
  if (runs_below_minimum(cluster, id)) {
    stale_since = gang.stale_since == kNoTime ? record.now : gang.stale_since;
  }
  cluster.set_gang_times(id, started, stale_since);
}

}  // namespace

void pass_time(Cluster& cluster, const CycleRecord& record) {
  DeviceGroups groups = groups_in_use(cluster, record);
  for (uint32_t i = 0; i < record.pods.size(); ++i) {
    if (cluster.alive(PodId(i))) pass_time_for(cluster, PodId(i), record, groups);
  }
  for (uint32_t i = 0; i < record.gangs.size(); ++i) {
    if (cluster.alive(GangId(i))) pass_time_for(cluster, GangId(i), record);
  }
}

}  // namespace trellis
