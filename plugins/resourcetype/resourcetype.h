// resourcetype: keeps pods that request no GPU off nodes that have GPUs.
#pragma once

#include "framework/plugin.h"

namespace trellis {

class ResourceType : public Plugin, public NodeScorer {
 public:
  std::string_view name() const override { return "resourcetype"; }
  void open(const View& view, Hooks& hooks) override;
  bool tells_apart(PodClassId pod_class, FitMode) const override;
  void score(PodClassId pod_class, std::span<const NodeId> nodes, double weight,
             std::span<double> out) const override;

 private:
  const View* view_ = nullptr;
};

}  // namespace trellis
