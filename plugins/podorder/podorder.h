// podorder: inside a gang, pods with a higher label `kai.scheduler/task-priority` go first, then
// masters and heads.
#pragma once

#include "framework/plugin.h"

namespace trellis {

class PodOrderPlugin : public Plugin, public PodOrder {
 public:
  std::string_view name() const override { return "podorder"; }
  void open(const View& view, Hooks& hooks) override {
    view_ = &view;
    hooks.pod_orders.push_back({this, name()});
  }

  int compare(PodId a, PodId b) const override {
    const Pod& x = (*view_->pods)[a].pod;
    const Pod& y = (*view_->pods)[b].pod;
    if (x.order_priority != y.order_priority) return x.order_priority > y.order_priority ? -1 : 1;
    return static_cast<int>(y.leader) - static_cast<int>(x.leader);
  }

 private:
  const View* view_ = nullptr;
};

}  // namespace trellis
