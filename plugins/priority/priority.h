// priority: gangs of higher priority go first.
#pragma once

#include "framework/plugin.h"

namespace trellis {

class Priority : public Plugin, public GangOrder {
 public:
  std::string_view name() const override { return "priority"; }
  void open(const View& view, Hooks& hooks) override;
  int compare(GangId a, GangId b) const override;

 private:
  const View* view_ = nullptr;
};

}  // namespace trellis
