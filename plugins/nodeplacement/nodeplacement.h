// nodeplacement: binpack or spread over nodes, by GPU for pods that request GPUs, else by CPU
// (placementStrategy.gpu, placementStrategy.cpu).
//
// binpack: 9 x c / (c + free), where c is half of a common node, so that the node with least free
// scores highest, whatever its size. spread: 9 x free / capacity of the node. fragmentation:
// nothing where the plugin of this name decides, for pods that request GPUs and on nodes that have
// some.
#pragma once

#include <algorithm>

#include "framework/plugin.h"
#include "plugins/scores/score_magnitudes.h"

namespace trellis {

class NodePlacement : public Plugin, public NodeScorer {
 public:
  std::string_view name() const override { return "nodeplacement"; }
  void open(const View& view, Hooks& hooks) override {
    view_ = &view;
    hooks.node_scorers.push_back({this, name(), view.config->plugin("nodeplacement").weight});
  }

  bool tells_apart(PodClassId pod_class, FitMode) const override {
    return !leaves_gpus() || packed_resource((*view_->pod_classes)[pod_class]) != kGpu;
  }
  void score(PodClassId pod_class, std::span<const NodeId> nodes, double weight,
             std::span<double> out) const override {
    if (!tells_apart(pod_class, FitMode::Future)) return;
    ResourceId resource = packed_resource((*view_->pod_classes)[pod_class]);
    bool gpu = ResourceTable::is_gpu(resource);
    const PlacementStrategy& strategy = view_->config->placement_strategy;
    bool spread = (gpu ? strategy.gpu : strategy.cpu) == Strategy::Spread;
    const NodeState::Column& free = view_->state->future[resource];
    const NodeState::Column& capacity = view_->state->allocatable[resource];
    const NodeState::Column& gpus = view_->state->allocatable[kGpu];
    double half = gpu ? kHalfGpuMilli : kHalfCpuMilli;
    for (size_t i = 0; i < nodes.size(); ++i) {
      if (leaves_gpus() && gpus[nodes[i]] > 0) continue;
      double left = static_cast<double>(std::max<int64_t>(0, free[nodes[i]]));
      double whole = static_cast<double>(std::max<int64_t>(1, capacity[nodes[i]]));
      double part = spread ? left / whole : half / (half + left);
      out[i] += weight * kDensityScore * part;
    }
  }

 private:
  // The free amount at which the binpack score is half its maximum. A constant needs no pass over
  // the cluster and does not change when a node comes or leaves: only the order of the scores
  // matters.
  static constexpr double kHalfGpuMilli = 4.0 * kMilli;
  static constexpr double kHalfCpuMilli = 64.0 * kMilli;

  bool leaves_gpus() const {
    return view_->config->placement_strategy.gpu == Strategy::Fragmentation;
  }

  ResourceId packed_resource(const PodSpec& spec) const {
    if (spec.requests.get(kAmdGpu) > 0) return kAmdGpu;
    return spec.gpu_share.active() || spec.requests.get(kGpu) > 0 ? kGpu : kCpu;
  }

  const View* view_ = nullptr;
};

}  // namespace trellis
