#include "framework/gpu_share.h"

namespace trellis {

int64_t share_portion(const GpuShare& share, const Node& node) {
  if (share.portion_milli > 0) return share.portion_milli;
  if (share.memory_mib <= 0 || node.gpu_memory_mib <= 0) return 0;
  if (share.memory_mib > node.gpu_memory_mib) return kMilli + 1;  // more than any device has
  return (share.memory_mib * kMilli + node.gpu_memory_mib - 1) / node.gpu_memory_mib;
}

}  // namespace trellis
