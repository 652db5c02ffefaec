// nodeavailability: prefers a node that can take the pod now to a node where the pod would wait for
// leaving pods.
#pragma once

#include "framework/plugin.h"
#include "plugins/scores/score_magnitudes.h"

namespace trellis {

class NodeAvailability : public Plugin, public NodeScorer {
 public:
  std::string_view name() const override { return "nodeavailability"; }
  void open(const View& view, Hooks& hooks) override {
    view_ = &view;
    hooks.node_scorers.push_back({this, name(), view.config->plugin("nodeavailability").weight});
  }

  bool distinguishes(PodClassId, FitMode mode) const override { return mode == FitMode::Future; }
  void score(PodClassId pod_class, std::span<const NodeId> nodes, double weight,
             std::span<double> out) const override {
    auto requests = (*view_->pod_classes)[pod_class].requests.items();
    for (size_t i = 0; i < nodes.size(); ++i) {
      bool now = true;
      for (const ResourceAmount& item : requests) {
        now = now && view_->state->now[item.resource][nodes[i]] >= item.amount;
      }
      if (now) out[i] += weight * kAvailabilityScore;
    }
  }

 private:
  const View* view_ = nullptr;
};

}  // namespace trellis
