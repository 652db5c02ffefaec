// gang: orders gangs by their minimum: gangs below it go first, then gangs that have exactly it,
// then gangs that have more.
#pragma once

#include "framework/plugin.h"

namespace trellis {

class GangPlugin : public Plugin, public GangOrder {
 public:
  std::string_view name() const override { return "gang"; }
  void open(const View& view, Hooks& hooks) override;
  int compare(GangId a, GangId b) const override;

 private:
  int steps(GangId gang) const;  // 0 below its minimum, 1 at it, 2 above it

  const View* view_ = nullptr;
};

}  // namespace trellis
