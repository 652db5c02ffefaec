// The devices of a node with those who have them, and the devices of all nodes, counted.
#pragma once

#include <vector>

#include "devices/inventory.h"
#include "framework/device_claims.h"
#include "plugins/devices/device_ledger.h"
#include "plugins/devices/shortages.h"

namespace trellis {

// As DeviceAllocator::devices_near().
std::vector<DeviceStand> device_stands(const devices::NodeView& node,
                                       const devices::Inventory& inventory,
                                       const DeviceLedger& ledger, const Holders& holders);

// As DeviceAllocator::devices_by_driver().
std::vector<DriverDevices> count_by_driver(const devices::Inventory& inventory,
                                           const DeviceLedger& ledger);

}  // namespace trellis
