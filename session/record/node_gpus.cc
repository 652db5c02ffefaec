#include "session/record/node_gpus.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace trellis {
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
