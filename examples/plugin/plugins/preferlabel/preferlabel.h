// preferlabel: nodes that carry a label before those that do not.
//
// Arguments: `key`, the label; `value`, what it has to be (absent: anything). A node that carries
// it scores 100, every other 0, for every pod: more than how full nodes are (placementStrategy),
// less than preferred node affinity.
#pragma once

#include <string>

#include "framework/plugin.h"

namespace trellis {

class PreferLabel : public Plugin, public NodeScorer {
 public:
  static constexpr std::string_view kArguments[] = {"key", "value"};

  std::string_view name() const override { return "preferlabel"; }
  void open(const View& view, Hooks& hooks) override;
  bool distinguishes(PodClassId, FitMode) const override { return true; }
  void score(PodClassId pod_class, std::span<const NodeId> nodes, double weight,
             std::span<double> out) const override;

 private:
  const View* view_ = nullptr;
  StrId key_;
  std::string value_;  // empty: anything
};

}  // namespace trellis
