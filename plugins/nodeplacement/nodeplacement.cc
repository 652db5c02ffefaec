#include "plugins/nodeplacement/nodeplacement.h"

#include <algorithm>

#include "plugins/scores/score_magnitudes.h"

namespace trellis {
namespace {

// The free amount at which the binpack score is half its maximum. A constant needs no pass over the
// cluster and does not change when a node comes or leaves: only the order of the scores matters.
constexpr double kHalfGpuMilli = 4.0 * kMilli;
constexpr double kHalfCpuMilli = 64.0 * kMilli;

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
  double half = gpu ? kHalfGpuMilli : kHalfCpuMilli;
  for (size_t i = 0; i < nodes.size(); ++i) {
    double left = static_cast<double>(std::max<int64_t>(0, free[nodes[i]]));
    double whole = static_cast<double>(std::max<int64_t>(1, capacity[nodes[i]]));
    double part = spread ? left / whole : half / (half + left);
    out[i] += weight * kDensityScore * part;
  }
}

}  // namespace trellis
