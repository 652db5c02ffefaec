// gang: orders gangs by their minimum: gangs below it go first, then gangs that have exactly it,
// then gangs that have more.
#pragma once

#include "framework/gang_minimum.h"
#include "framework/plugin.h"

namespace trellis {

class GangPlugin : public Plugin, public GangOrder {
 public:
  std::string_view name() const override { return "gang"; }
  void open(const View& view, Hooks& hooks) override {
    view_ = &view;
    hooks.gang_orders.push_back({this, name()});
  }

  int compare(GangId a, GangId b) const override { return steps(a) - steps(b); }

 private:
  // 0 below its minimum, 1 at it, 2 above it
  int steps(GangId gang) const {
    const Gang& record = (*view_->gangs)[gang];
    const GangCounts& counts = (*view_->gang_counts)[gang];
    if (!has_minimum(record, counts, (*view_->subgroup_counts)[gang])) return 0;
    return counts.placed > record.min_member ? 2 : 1;
  }

  const View* view_ = nullptr;
};

}  // namespace trellis
