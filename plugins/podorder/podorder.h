// podorder: inside a gang, pods with a higher label `kai.scheduler/task-priority` go first, then
// masters and heads.
#pragma once

#include "framework/plugin.h"

namespace trellis {

class PodOrderPlugin : public Plugin, public PodOrder {
 public:
  std::string_view name() const override { return "podorder"; }
  void open(const View& view, Hooks& hooks) override;
  int compare(PodId a, PodId b) const override;

 private:
  const View* view_ = nullptr;
};

}  // namespace trellis
