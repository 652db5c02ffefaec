#include "plugins/gang/gang_plugin.h"

#include "framework/gang_minimum.h"

namespace trellis {

void GangPlugin::open(const View& view, Hooks& hooks) {
  view_ = &view;
  hooks.gang_orders.push_back({this, name()});
}

bool GangPlugin::below_minimum(GangId gang) const {
  return !has_minimum((*view_->gangs)[gang], (*view_->gang_counts)[gang],
                      (*view_->subgroup_counts)[gang]);
}

int GangPlugin::compare(GangId a, GangId b) const {
  return static_cast<int>(below_minimum(b)) - static_cast<int>(below_minimum(a));
}

}  // namespace trellis
