// nodeplacement: binpack or spread over nodes, by GPU for pods that request GPUs, else by CPU
// (placementStrategy.gpu, placementStrategy.cpu).
//
// With the argument `resources: all`, binpack counts CPUs and GPUs alike, as best fit does.
// The scores are those of plugins/scores/density.h; with fragmentation, none where the plugin of
// this name decides: for pods that request GPUs, and on nodes that have some.
#pragma once

#include "framework/plugin.h"
#include "plugins/scores/density.h"

namespace trellis {

inline constexpr std::string_view kNodePlacementArguments[] = {"resources=packed|all"};

class NodePlacement : public Plugin, public NodeScorer {
 public:
  std::string_view name() const override { return "nodeplacement"; }
  void open(const View& view, Hooks& hooks) override {
    view_ = &view;
    all_ = view.config->plugin("nodeplacement").argument("resources") == "all";
    hooks.node_scorers.push_back({this, name(), view.config->plugin("nodeplacement").weight});
  }

  bool distinguishes(PodClassId pod_class, FitMode) const override {
    return !leaves_gpus() || packed_resource((*view_->pod_classes)[pod_class]) != kGpu;
  }
  void score(PodClassId pod_class, std::span<const NodeId> nodes, double weight,
             std::span<double> out) const override {
    if (!distinguishes(pod_class, FitMode::Future)) return;
    ResourceId resource = packed_resource((*view_->pod_classes)[pod_class]);
    const PlacementStrategy& strategy = view_->config->placement_strategy;
    Strategy chosen = ResourceTable::is_gpu(resource) ? strategy.gpu : strategy.cpu;
    const NodeState::Column& gpus = view_->state->allocatable[kGpu];
    for (size_t i = 0; i < nodes.size(); ++i) {
      if (leaves_gpus() && gpus[nodes[i]] > 0) continue;
      out[i] += weight * score_of(resource, chosen, nodes[i]);
    }
  }

 private:
  bool leaves_gpus() const {
    return view_->config->placement_strategy.gpu == Strategy::Fragmentation;
  }

  double score_of(ResourceId resource, Strategy strategy, NodeId node) const {
    if (!all_ || strategy != Strategy::Binpack) {
      return density_score(*view_->state, resource, strategy, node);
    }
    return best_fit_score(*view_->state, resource == kAmdGpu ? kAmdGpu : kGpu, node);
  }

  const View* view_ = nullptr;
  bool all_ = false;
};

}  // namespace trellis
