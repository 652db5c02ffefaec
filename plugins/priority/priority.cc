#include "plugins/priority/priority.h"

namespace trellis {

void Priority::open(const View& view, Hooks& hooks) {
  view_ = &view;
  hooks.gang_orders.push_back({this, name()});
}

int Priority::compare(GangId a, GangId b) const {
  int32_t x = (*view_->gangs)[a].priority;
  int32_t y = (*view_->gangs)[b].priority;
  return static_cast<int>(y > x) - static_cast<int>(x > y);
}

}  // namespace trellis
