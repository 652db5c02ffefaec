#include "plugins/podorder/podorder.h"

namespace trellis {

void PodOrderPlugin::open(const View& view, Hooks& hooks) {
  view_ = &view;
  hooks.pod_orders.push_back({this, name()});
}

int PodOrderPlugin::compare(PodId a, PodId b) const {
  const Pod& x = (*view_->pods)[a].pod;
  const Pod& y = (*view_->pods)[b].pod;
  if (x.order_priority != y.order_priority) return x.order_priority > y.order_priority ? -1 : 1;
  return static_cast<int>(y.leader) - static_cast<int>(x.leader);
}

}  // namespace trellis
