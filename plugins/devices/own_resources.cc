#include "plugins/devices/own_resources.h"

#include <algorithm>
#include <vector>

namespace trellis {

std::map<std::string, int64_t> own_resources(const Node& node, const devices::ExtendedPod& pod,
                                             const Vocabulary& vocabulary) {
  constexpr int64_t kThousandths = 1'000;
  std::map<std::string, int64_t> own;
  auto add = [&](const std::vector<devices::ContainerRequests>& containers) {
    for (const devices::ContainerRequests& container : containers) {
      for (const auto& [name, requested] : container.amounts) {
        ResourceId resource = vocabulary.resources.find(name);
        if (!resource.valid() || std::ranges::binary_search(node.by_devices, resource)) continue;
        int64_t amount = node.allocatable.get(resource);
        if (amount > 0)
          own[name] = ResourceTable::is_gpu(resource) ? amount / kThousandths : amount;
      }
    }
  };
  add(pod.init_containers);
  add(pod.containers);
  return own;
}

}  // namespace trellis
