// The counters of a pool, which its devices consume: devices that consume the same ones overlap.
#pragma once

#include <functional>
#include <map>
#include <string_view>
#include <utility>

#include "devices/inventory.h"

namespace trellis::devices {

class CountersLeft {
 public:
  // What the devices that are taken leave of the pool's counters; below zero where they have more
  // than there is. Cost: linear in the pool's devices.
  CountersLeft(const Inventory& inventory, std::string_view driver, std::string_view pool,
               const std::function<bool(DeviceIndex)>& is_taken);

  bool any_below_zero() const;
  // Whether they suffice for the device.
  bool suffice_for(const Device& device) const;

 private:
  using Name = std::pair<std::string_view, std::string_view>;  // of the set, of the counter
  std::map<Name, Quantity> left_;
};

// Whether both consume some counter of the same pool.
bool share_counters(const Device& a, const Device& b);

}  // namespace trellis::devices
