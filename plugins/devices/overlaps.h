// Which free devices exclude each other with devices that are taken, as partitions of one GPU do.
#pragma once

#include <map>
#include <string_view>
#include <utility>

#include "devices/counters.h"
#include "devices/inventory.h"
#include "plugins/devices/device_ledger.h"

namespace trellis {

// A device overlaps others that consume the same counters of its pool. Cost: linear in the devices
// of a pool, once for each pool.
class Overlaps {
 public:
  // Both arguments outlive it, and do not change.
  Overlaps(const devices::Inventory& inventory, const DeviceLedger& ledger)
      : inventory_(inventory), ledger_(ledger) {}
  // Whether the device is free, and those that overlap it leave too little for it.
  bool exclude(devices::DeviceIndex device);

 private:
  const devices::Inventory& inventory_;
  const DeviceLedger& ledger_;
  std::map<std::pair<std::string_view, std::string_view>, devices::CountersLeft> left_;  // by pool
};

}  // namespace trellis
