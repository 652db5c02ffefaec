// Devices that serve a claim, each as well as any other.
//
// Where a claim asks for a count of whole devices by one request, without counters, constraints or
// alternatives, how many such claims fit is the number of free devices over the count.
#pragma once

#include <cstdint>
#include <vector>

#include "devices/inventory.h"

namespace trellis::devices {

struct AlikeDevices {
  // False: the claim needs a search, and nothing below is known.
  bool alike = false;
  // All that the node sees and the claim may have, in the order in which they are tried.
  std::vector<DeviceIndex> devices;
  int64_t devices_of_claim = 1;
};

// Cost: O(slices near the node and their devices).
AlikeDevices alike_devices(const Claim& claim, const NodeView& node, const Inventory& inventory);

}  // namespace trellis::devices
