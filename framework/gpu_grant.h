// The devices of its node that are granted to a pod that shares GPUs.
#pragma once

#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <vector>

namespace trellis {

struct GpuPart {
  int32_t device = 0;         // index on the node
  int32_t portion_milli = 0;  // of that device
  bool operator==(const GpuPart&) const = default;
};

using GpuGrant = boost::container::small_vector<GpuPart, 2>;

// Ways to grant devices, the preferred one first.
struct GpuChoices {
  std::vector<GpuGrant> grants;
  bool all = true;  // false: there are more
};

}  // namespace trellis
