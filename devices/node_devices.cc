#include "devices/node_devices.h"

namespace trellis::devices {

NodeDevices::NodeDevices(const Inventory& inventory, const NodeView& node)
    : node_(node), pools_(pools_seen_from(node, inventory)) {
  for (uint32_t pool = 0; pool < pools_.size(); ++pool) {
    if (pools_[pool].usable()) add_devices(inventory, pool);
    add_consumers(inventory, pools_[pool]);
  }
}

void NodeDevices::add_devices(const Inventory& inventory, uint32_t pool) {
  for (uint32_t index : pools_[pool].slices) {
    const Slice& slice = inventory.slices()[index];
    if (!slice.counter_sets.empty()) continue;
    bool per_device = slice.reach.form == Reach::Form::PerDevice;
    for (uint32_t i = 0; i < slice.devices.size(); ++i) {
      devices_.push_back({inventory.first_device(index) + i, pool, per_device,
                          pools_[pool].consumption_of(slice.devices[i])});
    }
  }
}

void NodeDevices::add_consumers(const Inventory& inventory, const SeenPool& pool) {
  std::vector<Consumer>& consumers = consumers_.emplace_back();
  if (pool.counters.empty()) return;
  for (uint32_t index : pool.all_slices) {
    const std::vector<Device>& all = inventory.slices()[index].devices;
    for (uint32_t i = 0; i < all.size(); ++i) {
      if (all[i].counters.empty()) continue;
      consumers.push_back({inventory.first_device(index) + i, pool.consumption_of(all[i])});
    }
  }
}

}  // namespace trellis::devices
