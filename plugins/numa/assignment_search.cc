#include "plugins/numa/assignment_search.h"

#include <algorithm>
#include <bit>
#include <optional>

namespace trellis {
namespace {

constexpr int32_t kUnseen = -2;
constexpr int32_t kStart = -1;

}  // namespace

ZoneFlow::ZoneFlow(std::span<const int64_t> free) {
  for (int64_t cell : free) left_.push_back(std::max<int64_t>(0, cell));
}

bool ZoneFlow::add(int64_t amount, ZoneMask set) {
  Amount& added = amounts_.emplace_back();
  added.set = set;
  added.from.resize(left_.size(), 0);
  while (amount > 0) {
    Path path = find_path(set);
    if (path.end < 0) return false;
    amount -= follow(path, amount);
  }
  return true;
}

// The shortest path: from a zone of the set, along amounts that can move to other zones of their
// sets, to a zone that has some left.
ZoneFlow::Path ZoneFlow::find_path(ZoneMask set) const {
  size_t count = left_.size();
  Path path;
  path.by.resize(count, kUnseen);
  path.from.resize(count, kUnseen);
  boost::container::small_vector<int32_t, 8> reached;
  for (size_t zone = 0; zone < count; ++zone) {
    if ((set >> zone & 1) == 0) continue;
    path.from[zone] = kStart;
    reached.push_back(static_cast<int32_t>(zone));
  }
  for (size_t next = 0; next < reached.size(); ++next) {
    auto zone = static_cast<size_t>(reached[next]);
    if (left_[zone] > 0) {
      path.end = reached[next];
      return path;
    }
    for (size_t by = 0; by < amounts_.size(); ++by) {
      if (amounts_[by].from[zone] == 0) continue;
      for (size_t to = 0; to < count; ++to) {
        if (path.from[to] != kUnseen || (amounts_[by].set >> to & 1) == 0) continue;
        path.from[to] = reached[next];
        path.by[to] = static_cast<int32_t>(by);
        reached.push_back(static_cast<int32_t>(to));
      }
    }
  }
  return path;
}

// Moves as much along the path as it can carry, and gives that much to the amount added last.
int64_t ZoneFlow::follow(const Path& path, int64_t amount) {
  int64_t most = std::min(amount, left_[static_cast<size_t>(path.end)]);
  for (int32_t zone = path.end; path.from[static_cast<size_t>(zone)] != kStart;) {
    auto by = static_cast<size_t>(path.by[static_cast<size_t>(zone)]);
    zone = path.from[static_cast<size_t>(zone)];
    most = std::min(most, amounts_[by].from[static_cast<size_t>(zone)]);
  }
  left_[static_cast<size_t>(path.end)] -= most;
  int32_t zone = path.end;
  while (path.from[static_cast<size_t>(zone)] != kStart) {
    Amount& moved = amounts_[static_cast<size_t>(path.by[static_cast<size_t>(zone)])];
    moved.from[static_cast<size_t>(zone)] += most;
    zone = path.from[static_cast<size_t>(zone)];
    moved.from[static_cast<size_t>(zone)] -= most;
  }
  amounts_.back().from[static_cast<size_t>(zone)] += most;
  return most;
}

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
