#include "plugins/numa/cell_falls.h"

#include <algorithm>
#include <bit>

#include "framework/resources.h"

namespace trellis {

void CellFalls::stop_below(int64_t cell, int64_t least, int64_t by) {
  if (by > 0) repeats_ = std::min(repeats_, (cell - least) / by);
}

void CellFalls::take(const ZoneNeeds& needs, ZoneMask set) {
  for (const ZoneNeed& need : needs.all) {
    int64_t left = need.amount;
    for (ZoneMask rest = set; rest != 0 && left > 0; rest &= rest - 1) {
      size_t cell = need.column * zones_ + static_cast<size_t>(std::countr_zero(rest));
      int64_t taken = std::clamp<int64_t>(cells_[cell], 0, left);
      if (taken == 0) continue;
      stop_below(cells_[cell], taken, by_[cell]);
      cells_[cell] -= taken;
      left -= taken;
    }
  }
}

void CellFalls::hold(const ZoneNeeds& needs, ZoneMask set) {
  for (const ZoneNeed& need : needs.all) {
    int64_t there = 0;
    int64_t by = 0;
    for (ZoneMask rest = set; rest != 0; rest &= rest - 1) {
      size_t cell = need.column * zones_ + static_cast<size_t>(std::countr_zero(rest));
      there = add_to_sum(there, std::max<int64_t>(0, cells_[cell]));
      by = add_to_sum(by, by_[cell]);
    }
    stop_below(there, need.amount, by);
  }
}

}  // namespace trellis
