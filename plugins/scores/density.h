// How densely nodes are packed: the scores of placementStrategy.
#pragma once

#include <algorithm>

#include "framework/config.h"
#include "framework/node_state.h"
#include "framework/pod.h"
#include "framework/resources.h"
#include "plugins/scores/score_magnitudes.h"

namespace trellis {

// The resource by which nodes are packed for a pod.
inline ResourceId packed_resource(const PodSpec& spec) {
  if (spec.requests.get(kAmdGpu) > 0) return kAmdGpu;
  return spec.gpu_share.active() || spec.requests.get(kGpu) > 0 ? kGpu : kCpu;
}

// binpack: 9 x c / (c + free), where c is half of a common node, so that the node with least free
// scores highest, whatever its size. A constant needs no pass over the cluster and does not change
// when a node comes or leaves: only the order of the scores matters. spread: 9 x free / capacity of
// the node.
inline double density_score(const NodeState& state, ResourceId resource, Strategy strategy,
                            NodeId node) {
  constexpr double kHalfGpuMilli = 4.0 * kMilli;
  constexpr double kHalfCpuMilli = 64.0 * kMilli;
  double left = static_cast<double>(std::max<int64_t>(0, state.future[resource][node]));
  if (strategy == Strategy::Spread) {
    int64_t capacity = std::max<int64_t>(1, state.allocatable[resource][node]);
    return kDensityScore * (left / static_cast<double>(capacity));
  }
  double half = ResourceTable::is_gpu(resource) ? kHalfGpuMilli : kHalfCpuMilli;
  return kDensityScore * (half / (half + left));
}

// Best fit by CPUs and GPUs alike: the node scores highest that has least left of both together,
// each as a part of a large node (FGD, USENIX ATC'23).
inline double best_fit_score(const NodeState& state, ResourceId gpu, NodeId node) {
  constexpr double kLargeCpuMilli = 128.0 * kMilli;
  constexpr double kLargeGpuMilli = 8.0 * kMilli;
  auto left = [&](ResourceId packed) {
    return static_cast<double>(std::max<int64_t>(0, state.future[packed][node]));
  };
  double parts = left(kCpu) / kLargeCpuMilli + left(gpu) / kLargeGpuMilli;
  return kDensityScore * (2 / (2 + parts));
}

}  // namespace trellis
