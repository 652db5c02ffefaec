// Which devices are alike for some claims: what one of them can do, the others can do as well.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "devices/inventory.h"
#include "devices/requests.h"

namespace trellis::devices {

class DeviceKinds {
 public:
  // Claims that cannot be allocated at all distinguish nothing.
  DeviceKinds(const Inventory& inventory, std::span<const Claim* const> claims);

  // Equal for devices that are alike. A device that is shared, or that consumes counters, is like
  // no other. Cost: linear in the claims' selectors, once for each device.
  uint32_t kind_of(DeviceIndex device);

 private:
  std::string description(DeviceIndex device) const;

  const Inventory& inventory_;
  std::vector<SelectorIndex> selectors_;
  std::vector<std::string> attributes_;
  std::map<DeviceIndex, uint32_t> kinds_;
  std::map<std::string, uint32_t> numbers_;
};

}  // namespace trellis::devices
