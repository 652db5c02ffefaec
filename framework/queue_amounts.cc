#include "framework/queue_amounts.h"

namespace trellis {
namespace {

// Thousandths of a GPU that one slice counts for; 0: no slice.
int64_t slice_gpus(std::string_view name) {
  constexpr std::string_view kPrefix = "nvidia.com/mig-";
  if (!name.starts_with(kPrefix)) return 0;
  int64_t units = 0;
  for (char c : name.substr(kPrefix.size())) {
    if (c == 'g') return units * kMilli;
    if (c < '0' || c > '9' || units > 100) return 0;
    units = units * 10 + (c - '0');
  }
  return 0;
}

}  // namespace

std::string_view to_string(QueueResource resource) {
  switch (resource) {
    case QueueResource::Gpu:
      return "gpu";
    case QueueResource::Cpu:
      return "cpu";
    case QueueResource::Memory:
      break;
  }
  return "memory";
}

QueueAmounts queue_amounts(const ResourceList& amounts, const ResourceTable& resources) {
  QueueAmounts sum;
  for (const ResourceAmount& item : amounts.items()) {
    if (item.resource == kCpu) {
      sum[QueueResource::Cpu] += item.amount;
    } else if (item.resource == kMemory) {
      sum[QueueResource::Memory] += item.amount;
    } else if (ResourceTable::is_gpu(item.resource)) {
      sum[QueueResource::Gpu] += item.amount;
    } else {
      sum[QueueResource::Gpu] += item.amount * slice_gpus(resources.name(item.resource));
    }
  }
  return sum;
}

}  // namespace trellis
