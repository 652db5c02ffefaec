#include "devices/pools.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace trellis::devices {
namespace {

bool sees(const NodeView& node, const Slice& slice) {
  if (slice.left_out) return false;
  if (slice.reach.form != Reach::Form::PerDevice) return reaches(slice.reach, node);
  return std::any_of(slice.devices.begin(), slice.devices.end(),
                     [&](const Device& device) { return reaches(device.reach, node); });
}

// Leaves the newest generation; false: the pool is being replaced by one that is not seen.
bool keep_newest(SeenPool& pool, const Inventory& inventory) {
  const std::vector<Slice>& slices = inventory.slices();
  int64_t newest = INT64_MIN;
  for (uint32_t slice : pool.slices) newest = std::max(newest, slices[slice].generation);
  std::erase_if(pool.slices, [&](uint32_t slice) { return slices[slice].generation != newest; });
  const std::vector<uint32_t>& all = inventory.slices_of(pool.driver, pool.name);
  auto wanted = static_cast<size_t>(slices[pool.slices.front()].slices_of_pool);
  size_t count = 0;
  bool replaced = false;
  for (uint32_t slice : all) {
    if (slices[slice].generation == newest && !slices[slice].left_out) {
      pool.all_slices.push_back(slice);
      ++count;
    }
    replaced = replaced || (slices[slice].generation > newest && !slices[slice].left_out);
  }
  if (pool.slices.size() == wanted) {
    pool.complete = true;
    return true;
  }
  pool.complete = count == wanted;
  return !replaced;
}

bool has_set(const SeenPool& pool, const std::string& name) {
  return std::find(pool.counter_sets.begin(), pool.counter_sets.end(), name) !=
         pool.counter_sets.end();
}

void read_counters(SeenPool& pool, const Inventory& inventory) {
  for (uint32_t slice : pool.all_slices) {
    for (const CounterSet& set : inventory.slices()[slice].counter_sets) {
      if (has_set(pool, set.name)) pool.invalid = true;
      pool.counter_sets.push_back(set.name);
      for (const auto& [counter, amount] : set.counters) {
        pool.counter_names.emplace_back(set.name, counter);
        pool.counters.push_back(amount);
      }
    }
  }
}

bool is_defined(const SeenPool& pool, const CounterUse& use) {
  auto& known = pool.counter_names;
  return has_set(pool, use.set) &&
         std::all_of(use.counters.begin(), use.counters.end(), [&](const auto& counter) {
           return std::any_of(known.begin(), known.end(), [&](const auto& name) {
             return name.first == use.set && name.second == counter.first;
           });
         });
}

void check_devices(SeenPool& pool, const Inventory& inventory) {
  for (uint32_t slice : pool.all_slices) {
    for (const Device& device : inventory.slices()[slice].devices) {
      for (const CounterUse& use : device.counters) {
        if (!is_defined(pool, use)) pool.invalid = true;
      }
    }
  }
  std::set<std::string_view> names;
  for (uint32_t slice : pool.slices) {
    for (const Device& device : inventory.slices()[slice].devices) {
      if (!names.insert(device.name).second) pool.invalid = true;
      if (!device.binding_conditions.empty()) pool.has_conditions = true;
    }
  }
}

}  // namespace

std::vector<Consumption> SeenPool::consumption_of(const Device& device) const {
  std::vector<Consumption> consumption;
  for (const CounterUse& use : device.counters) {
    for (const auto& [counter, amount] : use.counters) {
      for (uint32_t i = 0; i < counter_names.size(); ++i) {
        if (counter_names[i].first == use.set && counter_names[i].second == counter) {
          consumption.push_back({i, amount});
        }
      }
    }
  }
  return consumption;
}

std::vector<SeenPool> pools_seen_from(const NodeView& node, const Inventory& inventory) {
  std::map<std::pair<std::string, std::string>, SeenPool> by_name;
  for (uint32_t index : inventory.slices_near(node.name)) {
    const Slice& slice = inventory.slices()[index];
    if (!sees(node, slice)) continue;
    SeenPool& pool = by_name[{slice.driver, slice.pool}];
    pool.driver = slice.driver;
    pool.name = slice.pool;
    pool.slices.push_back(index);
  }
  std::vector<SeenPool> pools;
  for (auto& [name, pool] : by_name) {
    if (!keep_newest(pool, inventory)) continue;
    read_counters(pool, inventory);
    check_devices(pool, inventory);
    pools.push_back(std::move(pool));
  }
  std::stable_partition(pools.begin(), pools.end(),
                        [](const SeenPool& pool) { return !pool.has_conditions; });
  return pools;
}

}  // namespace trellis::devices
