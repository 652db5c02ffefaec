// What is free on a node, as far as pods with GPUs care.
#pragma once

#include <algorithm>
#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <utility>

#include "framework/pod_shape.h"

namespace trellis {

// Odd input may name any number of GPUs. More than a million count as a million, so that the parts
// of a node's GPUs are counted in 32 bits.
inline constexpr int64_t kMostCountedGpus = 1'000'000;
inline int32_t counted_gpus(int64_t gpu_milli) {
  return static_cast<int32_t>(std::clamp<int64_t>(gpu_milli / kMilli, 0, kMostCountedGpus));
}

struct NodeRoom {
  int64_t cpu_milli = 0;
  int64_t memory_bytes = 0;
  int32_t whole = 0;                                 // devices that no pod shares or holds
  int32_t model = 0;                                 // bit of GpuModels
  boost::container::small_vector<int16_t, 8> parts;  // free of shared devices; sorted, none is 0
  bool operator==(const NodeRoom&) const = default;

  template <class Hash>
  friend Hash AbslHashValue(Hash hash, const NodeRoom& room) {
    hash =
        Hash::combine(std::move(hash), room.cpu_milli, room.memory_bytes, room.whole, room.model);
    return Hash::combine_contiguous(std::move(hash), room.parts.data(), room.parts.size());
  }

  int64_t gpu_milli() const;
  // How many pods of the shape fit, each with a GPU. For pods that share several devices each, an
  // upper bound.
  int64_t fits(const PodShape& shape) const;
  // What is left once a pod of the shape has been placed: a share takes the devices with the least
  // room that still hold it. REQUIRES: the pod fits, or the result is meaningless.
  NodeRoom without(const PodShape& shape) const;
};

}  // namespace trellis
