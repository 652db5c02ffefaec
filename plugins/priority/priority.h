// priority: gangs of higher priority go first.
#pragma once

#include "framework/plugin.h"

namespace trellis {

class Priority : public Plugin, public GangOrder {
 public:
  std::string_view name() const override { return "priority"; }
  void open(const View& view, Hooks& hooks) override {
    view_ = &view;
    hooks.gang_orders.push_back({this, name()});
  }

  int compare(GangId a, GangId b) const override {
    int32_t x = (*view_->gangs)[a].priority;
    int32_t y = (*view_->gangs)[b].priority;
    return static_cast<int>(y > x) - static_cast<int>(x > y);
  }

 private:
  const View* view_ = nullptr;
};

}  // namespace trellis
