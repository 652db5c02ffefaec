// The order in which resources are reported: cpu, memory, pods, GPUs, then all others by name. The
// ids of the others follow the order in which they were read, which must not be visible.
#pragma once

#include "framework/resources.h"

namespace trellis {

inline bool reported_before(const ResourceTable& resources, ResourceId a, ResourceId b) {
  bool both_named = a > kAmdGpu && b > kAmdGpu;
  return both_named ? resources.name(a) < resources.name(b) : a < b;
}

}  // namespace trellis
