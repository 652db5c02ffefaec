// nodeaffinity: preferred node affinity terms; the share of their weights that a node matches.
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
