// A flow of one resource: each amount comes from a set of zones and is split over them in any way.
#pragma once

#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <span>

#include "framework/numa.h"

namespace trellis {

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

}  // namespace trellis
