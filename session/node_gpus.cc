#include "session/node_gpus.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace trellis {
namespace {

constexpr ResourceId kGpuResources[] = {kGpu, kAmdGpu};

int64_t whole_gpus(const IndexedVector<ResourceId, NodeState::Column>& columns, NodeId node) {
  int64_t devices = 0;
  for (ResourceId resource : kGpuResources) {
    devices += std::max<int64_t>(0, columns[resource][node]) / kMilli;
  }
  return devices;
}

}  // namespace

IndexedVector<NodeId, NodeGpus> count_node_gpus(const Cluster& cluster, const Snapshot& snapshot) {
  const NodeState& state = snapshot.state();
  IndexedVector<ResourceId, NodeState::Column> free(kAmdGpu.value + 1);
  for (ResourceId resource : kGpuResources) free[resource] = state.allocatable[resource];
  std::vector<std::pair<NodeId, int32_t>> shared;  // devices
  for (uint32_t i = 0; i < cluster.pods().size(); ++i) {
    PodState pod = snapshot.pod(PodId(i));
    if (!pod.node.valid() || !holds_node(pod.status)) continue;
    const PodSpec& spec = cluster.pod_classes()[cluster.pods()[PodId(i)].pod_class];
    for (ResourceId resource : kGpuResources) {
      free[resource][pod.node] -= spec.requests.get(resource);
    }
    if (!spec.gpu_share.active()) continue;
    for (const GpuPart& part : snapshot.grant(PodId(i))) {
      if (part.portion_milli > 0) shared.emplace_back(pod.node, part.device);
    }
  }
  std::sort(shared.begin(), shared.end());
  shared.erase(std::unique(shared.begin(), shared.end()), shared.end());
  for (const auto& [node, device] : shared) free[kGpu][node] -= kMilli;

  IndexedVector<NodeId, NodeGpus> counts(cluster.nodes().size());
  for (uint32_t i = 0; i < counts.size(); ++i) {
    NodeId node(i);
    counts[node].idle = whole_gpus(free, node);
    counts[node].releasing = whole_gpus(state.future, node) - whole_gpus(state.now, node);
  }
  return counts;
}

}  // namespace trellis
