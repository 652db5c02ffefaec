// nodeavailability: prefers a node that can take the pod now to a node where the pod would wait for
// leaving pods.
#pragma once

#include "framework/plugin.h"

namespace trellis {

class NodeAvailability : public Plugin, public NodeScorer {
 public:
  std::string_view name() const override { return "nodeavailability"; }
  void open(const View& view, Hooks& hooks) override;
  bool tells_apart(PodClassId, FitMode mode) const override { return mode == FitMode::Future; }
  void score(PodClassId pod_class, std::span<const NodeId> nodes, double weight,
             std::span<double> out) const override;

 private:
  const View* view_ = nullptr;
};

}  // namespace trellis
