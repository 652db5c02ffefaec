// nodeaffinity: scores a node by the preferred node affinity terms that it matches, as a fraction
// of the sum of their weights.
#pragma once

#include "framework/plugin.h"

namespace trellis {

class NodeAffinity : public Plugin, public NodeScorer {
 public:
  std::string_view name() const override { return "nodeaffinity"; }
  void open(const View& view, Hooks& hooks) override;
  bool tells_apart(PodClassId pod_class, FitMode) const override;
  void score(PodClassId pod_class, std::span<const NodeId> nodes, double weight,
             std::span<double> out) const override;

 private:
  const View* view_ = nullptr;
};

}  // namespace trellis
