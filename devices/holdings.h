// Which devices are taken, and how much of those that are shared.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>

#include "devices/model.h"

namespace trellis::devices {

struct Holding {
  // Results that take the device as a whole.
  int32_t whole = 0;
  int32_t shares = 0;
  Amounts used;
};

// Sums over allocations. Removing an allocation restores what was before it was added.
class Holdings {
 public:
  void add(const Allocation& allocation);
  void remove(const Allocation& allocation);
  // null: the device is free. The next add() or remove() invalidates it.
  const Holding* find(const DeviceId& id) const;

 private:
  absl::flat_hash_map<DeviceId, Holding> holdings_;  // only looked up
};

}  // namespace trellis::devices
