// nodeaffinity: scores a node by the preferred node affinity terms that it matches, as a fraction
// of the sum of their weights.
#pragma once

#include <algorithm>

#include "framework/plugin.h"
#include "plugins/scores/score_magnitudes.h"

namespace trellis {

class NodeAffinity : public Plugin, public NodeScorer {
 public:
  std::string_view name() const override { return "nodeaffinity"; }
  void open(const View& view, Hooks& hooks) override {
    view_ = &view;
    double weight = view.config->plugin("nodeaffinity").weight;
    hooks.node_scorers.push_back({this, name(), weight * kKubernetesScale});
  }

  bool distinguishes(PodClassId pod_class, FitMode) const override {
    return !(*view_->pod_classes)[pod_class].preferred_affinity.empty();
  }

  void score(PodClassId pod_class, std::span<const NodeId> nodes, double weight,
             std::span<double> out) const override {
    const PodSpec& spec = (*view_->pod_classes)[pod_class];
    if (spec.preferred_affinity.empty()) return;  // explain calls every plugin
    const StringTable& strings = view_->vocabulary->strings;
    double most = 0;
    for (const PreferredTerm& preferred : spec.preferred_affinity) most += preferred.weight;
    if (most <= 0) return;
    for (size_t i = 0; i < nodes.size(); ++i) {
      const Node& node = (*view_->nodes)[nodes[i]];
      double matched = 0;
      for (const PreferredTerm& preferred : spec.preferred_affinity) {
        if (matches(preferred.term, node.labels, node.name, strings)) matched += preferred.weight;
      }
      out[i] += weight * kBestScore * matched / most;
    }
  }

 private:
  const View* view_ = nullptr;
};

}  // namespace trellis
