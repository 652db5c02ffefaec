// The pools of devices that a node sees.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "devices/inventory.h"

namespace trellis::devices {

// An amount of a counter that a device consumes; `counter` is one of the pool.
struct Consumption {
  uint32_t counter = 0;
  Quantity amount;
};

struct SeenPool {
  std::string driver;
  std::string name;
  // Slices are missing: no device of it may be taken.
  bool complete = false;
  // Names repeat, or counters are not defined.
  bool invalid = false;
  // Devices that have conditions to meet before pods are bound.
  bool has_conditions = false;
  // Seen, of the newest generation.
  std::vector<uint32_t> slices;
  // All slices of that generation, seen or not.
  std::vector<uint32_t> all_slices;
  std::vector<std::string> counter_sets;
  // The counters of all sets.
  std::vector<std::pair<std::string, std::string>> counter_names;
  std::vector<Quantity> counters;

  bool usable() const { return complete && !invalid; }
  // What a device of the pool consumes.
  std::vector<Consumption> consumption_of(const Device& device) const;
};

// In the order in which devices are tried. Cost: linear in the slices near the node.
std::vector<SeenPool> pools_seen_from(const NodeView& node, const Inventory& inventory);

}  // namespace trellis::devices
