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
  auto add = [&](QueueResource resource, int64_t amount) {
    sum[resource] = add_to_sum(sum[resource], amount);
  };
  for (const ResourceAmount& item : amounts.items()) {
    if (item.resource == kCpu) {
      add(QueueResource::Cpu, item.amount);
    } else if (item.resource == kMemory) {
      add(QueueResource::Memory, item.amount);
    } else if (ResourceTable::is_gpu(item.resource)) {
      add(QueueResource::Gpu, item.amount);
    } else {
      int64_t gpus = slice_gpus(resources.name(item.resource));
      add(QueueResource::Gpu, saturating_product(item.amount, gpus));
    }
  }
  return sum;
}

}  // namespace trellis
