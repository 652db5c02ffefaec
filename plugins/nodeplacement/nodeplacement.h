// nodeplacement: binpack or spread over nodes, by GPU for pods that request GPUs, else by CPU
// (placementStrategy.gpu, placementStrategy.cpu).
//
// binpack: 9 x c / (c + free), where c is half of a common node, so that the node with least free
// scores highest, whatever its size. spread: 9 x free / capacity of the node.
#pragma once

#include "framework/plugin.h"

namespace trellis {

class NodePlacement : public Plugin, public NodeScorer {
 public:
  std::string_view name() const override { return "nodeplacement"; }
  void open(const View& view, Hooks& hooks) override;
  bool tells_apart(PodClassId, FitMode) const override { return true; }
  void score(PodClassId pod_class, std::span<const NodeId> nodes, double weight,
             std::span<double> out) const override;

 private:
  ResourceId packed_resource(const PodSpec& spec) const;

  const View* view_ = nullptr;
};

}  // namespace trellis
