#include "plugins/devices/own_resources.h"

#include <algorithm>

namespace trellis {

std::map<std::string, int64_t> own_resources(const Node& node, const Vocabulary& vocabulary) {
  constexpr int64_t kThousandths = 1'000;
  std::map<std::string, int64_t> own;
  for (const ResourceAmount& item : node.allocatable.items()) {
    if (std::ranges::binary_search(node.by_devices, item.resource)) continue;
    int64_t amount =
        ResourceTable::is_gpu(item.resource) ? item.amount / kThousandths : item.amount;
    own[std::string(vocabulary.resources.name(item.resource))] = amount;
  }
  return own;
}

}  // namespace trellis
