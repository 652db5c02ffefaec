// Tries every assignment of zones to containers until one holds. It does not recurse and undoes one
// choice at a time.
//
// Permanent containers (sidecars, then app containers) are assigned in order; after each of these
// assignments the init containers that run next must find zones with what is left. A request that
// takes several zones may be split over them in any way, and differently at each moment.
// Cost: a trial is a flow through at most 64 zones for each resource; equal containers in a row are
// assigned in one order only.
#pragma once

#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <span>
#include <vector>

#include "framework/container_demand.h"
#include "framework/numa.h"
#include "plugins/numa/zone_needs.h"

namespace trellis {

// A flow of one resource: each amount comes from a set of zones and is split over them in any way.
class ZoneFlow {
 public:
  explicit ZoneFlow(std::span<const int64_t> free);  // by zone; below 0 counts as 0

  // False: the amount does not fit beside the amounts added before; nothing may be added after
  // that.
  // Cost: O(zones x amounts) for each path along which amounts give way.
  bool add(int64_t amount, ZoneMask set);

 private:
  struct Amount {
    ZoneMask set = 0;
    boost::container::small_vector<int64_t, 8> from;  // by zone
  };
  struct Path {
    // How each zone was reached: the amount that would give way there, and the zone that it moves
    // from.
    boost::container::small_vector<int32_t, 8> by;
    boost::container::small_vector<int32_t, 8> from;
    int32_t end = -1;  // a zone that has some left; -1: none
  };

  Path find_path(ZoneMask set) const;
  int64_t follow(const Path& path, int64_t amount);

  boost::container::small_vector<int64_t, 8> left_;
  boost::container::small_vector<Amount, 8> amounts_;
};

struct UnitNeed {
  ContainerKind kind = ContainerKind::App;
  ZoneNeeds needs;
};
using UnitNeeds = std::vector<UnitNeed>;

class AssignmentSearch {
 public:
  // REQUIRES: all needs are possible; both outlive the search.
  AssignmentSearch(const UnitNeeds& units, std::span<const int64_t> free, size_t zones);

  // Whether an assignment holds; tries at most `most` sets of zones.
  bool run(int64_t most);
  bool exhausted() const { return trials_ >= 0; }               // all assignments were tried
  const std::vector<ZoneMask>& zones() const { return sets_; }  // by unit; 0: the unit needs none

 private:
  bool advance(size_t unit);  // to the next set that holds beside the permanent units before it
  bool first_allowed(size_t unit);
  bool is_satisfied(size_t unit);  // with all permanent units before it
  bool flows(uint32_t column, size_t unit) const;
  bool is_permanent(size_t unit) const { return units_[unit].kind != ContainerKind::Init; }

  const UnitNeeds& units_;
  std::span<const int64_t> free_;
  size_t zone_count_;
  std::vector<ZoneMask> sets_;
  int64_t trials_ = 0;
};

}  // namespace trellis
