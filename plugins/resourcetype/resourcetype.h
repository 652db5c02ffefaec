// resourcetype: keeps pods that request no GPU off nodes that have GPUs.
#pragma once

#include "framework/plugin.h"
#include "plugins/scores/score_magnitudes.h"

namespace trellis {

class ResourceType : public Plugin, public NodeScorer {
 public:
  std::string_view name() const override { return "resourcetype"; }
  void open(const View& view, Hooks& hooks) override {
    view_ = &view;
    hooks.node_scorers.push_back({this, name(), view.config->plugin("resourcetype").weight});
  }

  bool distinguishes(PodClassId pod_class, FitMode) const override {
    const PodSpec& spec = (*view_->pod_classes)[pod_class];
    return !spec.gpu_share.active() && spec.requests.get(kGpu) == 0 &&
           spec.requests.get(kAmdGpu) == 0;
  }

  void score(PodClassId pod_class, std::span<const NodeId> nodes, double weight,
             std::span<double> out) const override {
    if (!distinguishes(pod_class, FitMode::Now)) return;
    const auto& allocatable = view_->state->allocatable;
    for (size_t i = 0; i < nodes.size(); ++i) {
      bool has_gpu = allocatable[kGpu][nodes[i]] > 0 || allocatable[kAmdGpu][nodes[i]] > 0;
      if (!has_gpu) out[i] += weight * kResourceTypeScore;
    }
  }

 private:
  const View* view_ = nullptr;
};

}  // namespace trellis
