#include "plugins/devices/overlaps.h"

namespace trellis {

bool Overlaps::exclude(devices::DeviceIndex index) {
  const devices::KnownDevice& device = inventory_.devices()[index];
  if (device.device->counters.empty() || !ledger_.is_free(index)) return false;
  std::pair<std::string_view, std::string_view> pool{device.id.driver, device.id.pool};
  auto found = left_.find(pool);
  if (found == left_.end()) {
    auto is_taken = [&](devices::DeviceIndex other) { return !ledger_.is_free(other); };
    devices::CountersLeft left(inventory_, pool.first, pool.second, is_taken);
    found = left_.emplace(pool, std::move(left)).first;
  }
  return !found->second.suffice_for(*device.device);
}

}  // namespace trellis
