#include "plugins/devices/device_stands.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "devices/counters.h"
#include "devices/pools.h"
#include "devices/sort_unique.h"
#include "plugins/devices/overlaps.h"

namespace trellis {
namespace {

bool is_tainted(const devices::Device& device) {
  return std::ranges::any_of(device.taints, [](const devices::Taint& taint) {
    return taint.effect == "NoSchedule" || taint.effect == "NoExecute";
  });
}

// Slices that are of the newest generation of their pool.
std::vector<uint32_t> newest_slices(const devices::Inventory& inventory) {
  const std::vector<devices::Slice>& slices = inventory.slices();
  using Pool = std::pair<std::string_view, std::string_view>;
  std::map<Pool, int64_t> newest;
  for (const devices::Slice& slice : slices) {
    auto [pool, added] = newest.try_emplace({slice.driver, slice.pool}, slice.generation);
    if (!added) pool->second = std::max(pool->second, slice.generation);
  }
  std::vector<uint32_t> found;
  for (uint32_t i = 0; i < slices.size(); ++i) {
    if (slices[i].generation == newest.at({slices[i].driver, slices[i].pool})) found.push_back(i);
  }
  return found;
}

// Those who have devices that overlap this one.
std::vector<std::string> overlapping_holders(const devices::KnownDevice& device,
                                             const devices::Inventory& inventory,
                                             const Holders& holders) {
  std::vector<std::string> found;
  for (uint32_t slice : inventory.slices_of(device.id.driver, device.id.pool)) {
    for (uint32_t i = 0; i < inventory.slices()[slice].devices.size(); ++i) {
      const devices::KnownDevice& other = inventory.devices()[inventory.first_device(slice) + i];
      auto holder = holders.find(other.id);
      if (holder == holders.end() || !devices::share_counters(*device.device, *other.device)) {
        continue;
      }
      found.insert(found.end(), holder->second.begin(), holder->second.end());
    }
  }
  devices::sort_unique(found);
  return found;
}

}  // namespace

std::vector<DeviceStand> device_stands(const devices::NodeView& node,
                                       const devices::Inventory& inventory,
                                       const DeviceLedger& ledger, const Holders& holders) {
  std::vector<DeviceStand> stands;
  Overlaps overlaps(inventory, ledger);
  for (const devices::SeenPool& pool : devices::pools_seen_from(node, inventory)) {
    for (uint32_t index : pool.slices) {
      const devices::Slice& slice = inventory.slices()[index];
      bool per_device = slice.reach.form == devices::Reach::Form::PerDevice;
      for (uint32_t i = 0; i < slice.devices.size(); ++i) {
        const devices::Device& device = slice.devices[i];
        if (per_device && !devices::reaches(device.reach, node)) continue;
        devices::DeviceIndex known = inventory.first_device(index) + i;
        DeviceStand stand{inventory.devices()[known].id, is_tainted(device), {}, {}};
        auto holder = holders.find(stand.id);
        if (holder != holders.end()) {
          stand.holders = holder->second;
        } else if (overlaps.exclude(known)) {
          stand.overlaps = overlapping_holders(inventory.devices()[known], inventory, holders);
        }
        stands.push_back(std::move(stand));
      }
    }
  }
  return stands;
}

std::vector<DriverDevices> count_by_driver(const devices::Inventory& inventory,
                                           const DeviceLedger& ledger) {
  std::map<std::string_view, DriverDevices> drivers;
  Overlaps overlaps(inventory, ledger);
  for (uint32_t index : newest_slices(inventory)) {
    const devices::Slice& slice = inventory.slices()[index];
    DriverDevices& counts = drivers[slice.driver];
    for (uint32_t i = 0; i < slice.devices.size(); ++i) {
      devices::DeviceIndex device = inventory.first_device(index) + i;
      bool held = !ledger.is_free(device);
      ++counts.devices;
      counts.held += held ? 1 : 0;
      counts.overlapping += overlaps.exclude(device) ? 1 : 0;
      counts.tainted += !held && is_tainted(slice.devices[i]) ? 1 : 0;
    }
  }
  std::vector<DriverDevices> sorted;
  for (auto& [driver, counts] : drivers) {
    counts.driver = driver;
    if (counts.devices > 0) sorted.push_back(std::move(counts));
  }
  return sorted;
}

}  // namespace trellis
