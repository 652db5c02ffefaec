#include "plugins/nodeplacement/nodeplacement.h"

#include <algorithm>

#include "plugins/score_magnitudes.h"

namespace trellis {
namespace {

// Above any capacity that counts, so that the score needs no pass over the cluster and does not
// change when a node comes or goes: only its order matters.
constexpr double kMostGpuMilli = 1024.0 * kMilli;
constexpr double kMostCpuMilli = 65536.0 * kMilli;

}  // namespace

void NodePlacement::open(const View& view, Hooks& hooks) {
  view_ = &view;
  hooks.node_scorers.push_back({this, name(), view.config->plugin("nodeplacement").weight});
}

ResourceId NodePlacement::packed_resource(const PodSpec& spec) const {
  if (spec.requests.get(kAmdGpu) > 0) return kAmdGpu;
  return spec.gpu_share.active() || spec.requests.get(kGpu) > 0 ? kGpu : kCpu;
}

void NodePlacement::score(PodClassId pod_class, std::span<const NodeId> nodes, double weight,
                          std::span<double> out) const {
  ResourceId resource = packed_resource((*view_->pod_classes)[pod_class]);
  bool gpu = ResourceTable::is_gpu(resource);
  const PlacementStrategy& strategy = view_->config->placement_strategy;
  bool spread = (gpu ? strategy.gpu : strategy.cpu) == Strategy::Spread;
  const NodeState::Column& free = view_->state->future[resource];
  const NodeState::Column& capacity = view_->state->allocatable[resource];
  double most = gpu ? kMostGpuMilli : kMostCpuMilli;
  for (size_t i = 0; i < nodes.size(); ++i) {
    double left = static_cast<double>(std::max<int64_t>(0, free[nodes[i]]));
    double whole = static_cast<double>(std::max<int64_t>(1, capacity[nodes[i]]));
    double share = spread ? left / whole : 1.0 - std::min(1.0, left / most);
    out[i] += weight * kDensityScore * share;
  }
}

}  // namespace trellis
