// Converts a request for parts of GPUs to amounts of a node's devices.
#pragma once

#include "framework/node.h"
#include "framework/pod.h"

namespace trellis {

// The free amount of a device that no pod shares, in thousandths.
inline constexpr int64_t kWholeDevice = kMilli;

// Thousandths of a device that a sharing pod takes on a node; 0 when it is unknown.
int64_t share_portion(const GpuShare& share, const Node& node);

}  // namespace trellis
