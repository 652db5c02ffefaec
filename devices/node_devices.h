// The devices that a node sees, as searches read them.
//
// Cost: linear in the slices near the node, when it is made. Searches read it and do not change it.
#pragma once

#include <cstdint>
#include <vector>

#include "devices/inventory.h"
#include "devices/pools.h"

namespace trellis::devices {

class NodeDevices {
 public:
  // Both arguments outlive it.
  NodeDevices(const Inventory& inventory, const NodeView& node);

  struct Seen {
    DeviceIndex device = 0;
    uint32_t pool = 0;
    // Its slice says for each device which nodes reach it.
    bool per_device = false;
    std::vector<Consumption> consumption;
  };
  struct Consumer {
    DeviceIndex device = 0;
    std::vector<Consumption> consumption;
  };

  const NodeView& node() const { return node_; }
  const std::vector<SeenPool>& pools() const { return pools_; }
  // Those of usable pools, in the order in which they are tried.
  const std::vector<Seen>& devices() const { return devices_; }
  // By pool: its devices that consume counters, whether the node sees them or not.
  const std::vector<std::vector<Consumer>>& consumers() const { return consumers_; }

 private:
  void add_devices(const Inventory& inventory, uint32_t pool);
  void add_consumers(const Inventory& inventory, const SeenPool& pool);

  const NodeView& node_;
  std::vector<SeenPool> pools_;
  std::vector<Seen> devices_;
  std::vector<std::vector<Consumer>> consumers_;
};

}  // namespace trellis::devices
