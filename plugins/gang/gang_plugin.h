// gang: gangs below their minimum go before gangs that run and want more.
#pragma once

#include "framework/plugin.h"

namespace trellis {

class GangPlugin : public Plugin, public GangOrder {
 public:
  std::string_view name() const override { return "gang"; }
  void open(const View& view, Hooks& hooks) override;
  int compare(GangId a, GangId b) const override;

 private:
  bool below_minimum(GangId gang) const;

  const View* view_ = nullptr;
};

}  // namespace trellis
