#include "session/record/outcomes.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "framework/topology_levels.h"

namespace trellis {
namespace {

DomainId common_domain(const TopologyTree& tree, DomainId a, DomainId b) {
  while (tree.level_of(a) > tree.level_of(b)) a = tree.parent(a);
  while (tree.level_of(b) > tree.level_of(a)) b = tree.parent(b);
  while (a != b) a = tree.parent(a), b = tree.parent(b);
  return a;
}

// Whether `subgroup` is `above` or somewhere below it; everything is below the gang (-1).
bool is_within(const Gang& gang, int32_t subgroup, int32_t above) {
  while (subgroup != above && subgroup >= 0) {
    subgroup = gang.subgroups[static_cast<size_t>(subgroup)].parent;
  }
  return subgroup == above;
}

std::optional<GangPlacement> placement(const Cluster& cluster, const Snapshot& snapshot, GangId id,
                                       int32_t subgroup, const TopologyConstraint& constraint) {
  if (!constraint.topology.valid()) return std::nullopt;
  const StringTable& strings = cluster.vocabulary().strings;
  TopologyId topology_id = cluster.find_topology(strings.view(constraint.topology));
  if (!topology_id.valid() || topology_id.value >= snapshot.trees().size()) return std::nullopt;
  const Topology& topology = cluster.topologies()[topology_id];
  const TopologyTree& tree = snapshot.trees()[topology_id];

  DomainId all;
  for (PodId pod : cluster.pods_of(id)) {
    PodState state = snapshot.pod(pod);
    if (!will_remain(state.status) || !state.node.valid() || !tree.contains(state.node)) continue;
    if (!is_within(cluster.gangs()[id], snapshot.key(pod).subgroup, subgroup)) continue;
    DomainId mine = tree.domain_of(state.node);
    all = all.valid() ? common_domain(tree, all, mine) : mine;
  }
  if (!all.valid()) return std::nullopt;
  ResolvedLevels levels = resolve_levels(topology, constraint, strings);
  int deepest = levels.preferred >= 0 ? levels.preferred : levels.required;
  while (tree.level_of(all) > deepest) all = tree.parent(all);

  GangPlacement placement;
  placement.topology = topology.name;
  if (int level = tree.level_of(all); level >= 0) {
    placement.level = strings.view(topology.levels[static_cast<size_t>(level)].label);
  }
  for (StrId value : tree.path(all)) placement.domain.emplace_back(strings.view(value));
  return placement;
}

}  // namespace

std::optional<GangPlacement> gang_placement(const Cluster& cluster, const Snapshot& snapshot,
                                            GangId gang) {
  return placement(cluster, snapshot, gang, -1, cluster.gangs()[gang].topology);
}

std::optional<GangPlacement> subgroup_placement(const Cluster& cluster, const Snapshot& snapshot,
                                                GangId gang, int32_t subgroup) {
  const Gang& record = cluster.gangs()[gang];
  return placement(cluster, snapshot, gang, subgroup,
                   record.subgroups[static_cast<size_t>(subgroup)].topology);
}

const Admission* admission_of(const Cluster& cluster, const CycleRecord& record, WorkloadId id) {
  const WorkloadOutcome& outcome = record.workloads[id];
  if (outcome.status == WorkloadStatus::Pending || outcome.status == WorkloadStatus::Evicted) {
    return nullptr;
  }
  if (outcome.admission) return outcome.admission.get();
  const std::optional<Admission>& recorded = cluster.workloads()[id].admission;
  return recorded ? &*recorded : nullptr;
}

namespace {

constexpr std::array kGpuResources = {kGpu, kAmdGpu};

int64_t whole_gpus(int64_t amount) { return std::max<int64_t>(0, amount) / kMilli; }

int64_t whole_gpus(const IndexedVector<ResourceId, NodeState::Column>& columns, NodeId node) {
  int64_t devices = 0;
  for (ResourceId resource : kGpuResources) devices += whole_gpus(columns[resource][node]);
  return devices;
}

}  // namespace

NodeGpus count_node_gpus(const Cluster& cluster, const Snapshot& snapshot, NodeId node,
                         std::span<const PodId> pods) {
  const NodeState& state = snapshot.state();
  std::array<int64_t, kGpuResources.size()> free;
  for (size_t i = 0; i < free.size(); ++i) free[i] = state.allocatable[kGpuResources[i]][node];
  std::vector<int32_t> shared;  // devices
  bool moved_sharer = false;
  for (PodId id : pods) {
    PodState pod = snapshot.pod(id);
    const PodSlot& slot = cluster.pods()[id];
    // A pod that was promised another place stays where it ran until it has left.
    bool moved = pod.status == PodStatus::Pipelined && slot.node == node;
    if (!moved && (pod.node != node || !occupies_node(pod.status))) continue;
    const PodSpec& spec = cluster.pod_classes()[slot.pod_class];
    for (size_t i = 0; i < free.size(); ++i) free[i] -= spec.requests.get(kGpuResources[i]);
    if (!spec.gpu_share.active()) continue;
    moved_sharer |= moved;
    if (moved) continue;
    for (const GpuPart& part : snapshot.grant(id)) {
      if (part.portion_milli > 0) shared.push_back(part.device);
    }
  }
  // The grant of a pod that was moved is for its new place: the free amounts show which devices it
  // holds.
  for (size_t i = 0; moved_sharer && i < state.devices(node, FitMode::Now).size(); ++i) {
    if (state.devices(node, FitMode::Now)[i] < kMilli) shared.push_back(static_cast<int32_t>(i));
  }
  std::sort(shared.begin(), shared.end());
  shared.erase(std::unique(shared.begin(), shared.end()), shared.end());
  static_assert(kGpuResources[0] == kGpu);
  free[0] -= static_cast<int64_t>(shared.size()) * kMilli;
  NodeGpus gpus;
  for (int64_t amount : free) gpus.idle += whole_gpus(amount);
  gpus.releasing = whole_gpus(state.future, node) - whole_gpus(state.now, node);
  return gpus;
}

int64_t count_free_gpus(const Snapshot& snapshot, NodeId node) {
  return whole_gpus(snapshot.state().now, node);
}

}  // namespace trellis
