// A request for parts of GPUs, in the amounts of a node.
#pragma once

#include "framework/node.h"
#include "framework/pod.h"

namespace trellis {

// What is free of a device that no pod shares, in thousandths.
inline constexpr int64_t kWholeDevice = kMilli;

// Thousandths of a device that a sharing pod takes on a node; 0 when that cannot be told.
int64_t share_portion(const GpuShare& share, const Node& node);

}  // namespace trellis
