#include "plugins/gang/gang_plugin.h"

#include "framework/gang_minimum.h"

namespace trellis {

void GangPlugin::open(const View& view, Hooks& hooks) {
  view_ = &view;
  hooks.gang_orders.push_back({this, name()});
}

int GangPlugin::steps(GangId gang) const {
  const Gang& record = (*view_->gangs)[gang];
  const GangCounts& counts = (*view_->gang_counts)[gang];
  if (!has_minimum(record, counts, (*view_->subgroup_counts)[gang])) return 0;
  return counts.placed > record.min_member ? 2 : 1;
}

int GangPlugin::compare(GangId a, GangId b) const { return steps(a) - steps(b); }

}  // namespace trellis
