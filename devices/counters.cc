#include "devices/counters.h"

#include <algorithm>

namespace trellis::devices {

CountersLeft::CountersLeft(const Inventory& inventory, std::string_view driver,
                           std::string_view pool,
                           const std::function<bool(DeviceIndex)>& is_taken) {
  const std::vector<uint32_t>& slices = inventory.slices_of(driver, pool);
  for (uint32_t slice : slices) {
    for (const CounterSet& set : inventory.slices()[slice].counter_sets) {
      for (const auto& [name, amount] : set.counters) left_[{set.name, name}] = amount;
    }
  }
  if (left_.empty()) return;
  for (uint32_t slice : slices) {
    const std::vector<Device>& all = inventory.slices()[slice].devices;
    for (uint32_t i = 0; i < all.size(); ++i) {
      if (all[i].counters.empty() || !is_taken(inventory.first_device(slice) + i)) continue;
      for (const CounterUse& use : all[i].counters) {
        for (const auto& [name, amount] : use.counters) {
          Quantity& rest = left_[{use.set, name}];
          rest = rest - amount;
        }
      }
    }
  }
}

bool CountersLeft::any_below_zero() const {
  return std::ranges::any_of(left_, [](const auto& entry) { return entry.second < Quantity(); });
}

bool CountersLeft::suffice_for(const Device& device) const {
  return std::ranges::all_of(device.counters, [&](const CounterUse& use) {
    return std::ranges::all_of(use.counters, [&](const auto& counter) {
      auto found = left_.find({use.set, counter.first});
      return found != left_.end() && found->second >= counter.second;
    });
  });
}

bool share_counters(const Device& a, const Device& b) {
  return std::ranges::any_of(a.counters, [&](const CounterUse& of_a) {
    return std::ranges::any_of(b.counters, [&](const CounterUse& of_b) {
      return of_a.set == of_b.set && std::ranges::any_of(of_a.counters, [&](const auto& one) {
               return std::ranges::any_of(of_b.counters, [&](const auto& other) {
                 return one.first == other.first && one.second > Quantity() &&
                        other.second > Quantity();
               });
             });
    });
  });
}

}  // namespace trellis::devices
