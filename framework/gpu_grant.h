// The devices that a pod which shares GPUs was given on its node.
#pragma once

#include <boost/container/small_vector.hpp>
#include <cstdint>

namespace trellis {

struct GpuPart {
  int32_t device = 0;         // index on the node
  int32_t portion_milli = 0;  // of that device
  bool operator==(const GpuPart&) const = default;
};

using GpuGrant = boost::container::small_vector<GpuPart, 2>;

}  // namespace trellis
