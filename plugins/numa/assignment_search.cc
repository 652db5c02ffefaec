#include "plugins/numa/assignment_search.h"

#include <algorithm>
#include <bit>
#include <optional>

#include "plugins/numa/zone_flow.h"

namespace trellis {

AssignmentSearch::AssignmentSearch(const UnitNeeds& units, std::span<const int64_t> free,
                                   size_t zones)
    : units_(units), free_(free), zone_count_(zones), sets_(units.size(), 0) {}

bool AssignmentSearch::run(int64_t most) {
  trials_ = most;
  size_t unit = 0;
  while (unit < units_.size()) {
    if (units_[unit].needs.all.empty() || advance(unit)) {
      ++unit;
      continue;
    }
    if (trials_ < 0) return false;
    // Go back to the last permanent unit that has a choice; what an init container takes binds no
    // other container.
    do {
      sets_[unit] = 0;
      if (unit == 0) return false;
      --unit;
    } while (!is_permanent(unit) || units_[unit].needs.all.empty());
  }
  return true;
}

bool AssignmentSearch::advance(size_t unit) {
  bool more = true;
  if (sets_[unit] == 0) {
    more = first_allowed(unit);
  } else {
    sets_[unit] = next_set(sets_[unit], zone_count_);
    more = sets_[unit] != 0;
  }
  while (more) {
    if (--trials_ < 0) return false;
    if (is_satisfied(unit)) return true;
    sets_[unit] = next_set(sets_[unit], zone_count_);
    more = sets_[unit] != 0;
  }
  return false;
}

// The search for a unit that equals the unit before it may begin at that unit's set.
bool AssignmentSearch::first_allowed(size_t unit) {
  bool repeats = unit > 0 && is_permanent(unit) && units_[unit].kind == units_[unit - 1].kind &&
                 units_[unit].needs.all == units_[unit - 1].needs.all;
  sets_[unit] = repeats ? sets_[unit - 1] : first_set(units_[unit].needs.zones, zone_count_);
  return sets_[unit] != 0;
}

bool AssignmentSearch::is_satisfied(size_t unit) {
  const ZoneNeeds& needs = units_[unit].needs;
  if (needs.zones == 1) {
    ZoneMask holding = holding_zones(needs, free_, zone_count_);
    if ((holding & sets_[unit]) == 0) return false;
  } else if (!set_holds(needs, sets_[unit], free_, zone_count_)) {
    return false;
  }
  return std::all_of(needs.all.begin(), needs.all.end(),
                     [&](const ZoneNeed& need) { return flows(need.column, unit); });
}

bool AssignmentSearch::flows(uint32_t column, size_t unit) const {
  ZoneFlow flow(free_.subspan(column * zone_count_, zone_count_));
  for (size_t i = 0; i <= unit; ++i) {
    if (i < unit && !is_permanent(i)) continue;
    for (const ZoneNeed& need : units_[i].needs.all) {
      if (need.column == column && !flow.add(need.amount, sets_[i])) return false;
    }
  }
  return true;
}

}  // namespace trellis
