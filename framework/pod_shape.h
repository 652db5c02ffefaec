// What a pod requests, as far as it decides which free GPUs are of use to it.
#pragma once

#include <compare>
#include <cstdint>

#include "framework/resources.h"

namespace trellis {

// GPU models as bits: first those that have a name, then these two.
using GpuModels = uint64_t;
inline constexpr GpuModels kAnyModel = ~GpuModels{0};
inline constexpr int32_t kNoModel = 62;     // of nodes without a label for it
inline constexpr int32_t kOtherModel = 63;  // no bit is left for its name

struct PodShape {
  int64_t cpu_milli = 0;
  int64_t memory_bytes = 0;
  int32_t devices = 0;           // 0: it requests no GPU
  int32_t portion = kMilli;      // of each device, in thousandths
  GpuModels models = kAnyModel;  // those that the pod may run on
  auto operator<=>(const PodShape&) const = default;

  bool shares() const { return devices > 0 && portion < kMilli; }
  int64_t gpu_milli() const { return int64_t{devices} * portion; }
};

}  // namespace trellis
