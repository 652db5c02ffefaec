#include "plugins/devices/shortages.h"

#include <algorithm>

#include "devices/holdings.h"
#include "devices/pools.h"
#include "devices/requests.h"
#include "plugins/devices/overlaps.h"

namespace trellis {
namespace {

bool is_tolerated(const devices::Device& device, const devices::Alternative& alternative) {
  return std::ranges::all_of(device.taints, [&](const devices::Taint& taint) {
    bool binds = taint.effect == "NoSchedule" || taint.effect == "NoExecute";
    return !binds || devices::tolerates(alternative.tolerations, taint);
  });
}

// Counts the devices of the node by what they lack for the request.
class ShortageCount {
 public:
  ShortageCount(const DeviceLedger& ledger, const devices::NodeView& node, const DeviceMap& map,
                const Holders& holders)
      : ledger_(ledger),
        map_(map),
        holders_(holders),
        overlaps_(map.inventory(), ledger),
        node_(node),
        pools_(devices::pools_seen_from(node, map.inventory())) {}

  DeviceShortage of(const devices::PreparedAlternative& alternative) {
    DeviceShortage shortage{.request = alternative.name,
                            .device_class = alternative.alternative->device_class,
                            .wanted = alternative.alternative->count};
    for (const devices::SeenPool& pool : pools_) {
      if (!pool.usable()) {
        shortage.error = "pool " + pool.driver + "/" + pool.name +
                         (pool.complete ? " is invalid" : " is incomplete");
        continue;
      }
      for (uint32_t slice : pool.slices) add_slice(slice, alternative, shortage);
    }
    return shortage;
  }

 private:
  void add_slice(uint32_t index, const devices::PreparedAlternative& alternative,
                 DeviceShortage& shortage) {
    const devices::Inventory& inventory = map_.inventory();
    const devices::Slice& slice = inventory.slices()[index];
    if (!slice.counter_sets.empty()) return;
    bool per_device = slice.reach.form == devices::Reach::Form::PerDevice;
    for (uint32_t i = 0; i < slice.devices.size(); ++i) {
      const devices::Device& device = slice.devices[i];
      if (per_device && !devices::reaches(device.reach, node_)) continue;
      ++shortage.seen;
      if (!accepts(alternative, inventory.first_device(index) + i, shortage)) continue;
      ++shortage.match;
      if (!is_tolerated(device, *alternative.alternative)) {
        ++shortage.tainted;
      } else if (!device.shared && !ledger_.is_free(inventory.first_device(index) + i)) {
        ++shortage.taken;
        auto holder = holders_.find(inventory.devices()[inventory.first_device(index) + i].id);
        if (shortage.holder.empty() && holder != holders_.end())
          shortage.holder = holder->second.front();
      } else if (overlaps_.exclude(inventory.first_device(index) + i)) {
        ++shortage.overlapping;
      }
    }
  }

  bool accepts(const devices::PreparedAlternative& alternative, devices::DeviceIndex device,
               DeviceShortage& shortage) const {
    const devices::Inventory& inventory = map_.inventory();
    for (devices::SelectorIndex selector : alternative.selectors) {
      if (!inventory.expression(selector).valid()) {
        shortage.error = inventory.expression(selector).error();
        return false;
      }
      devices::Inventory::Answer answer = inventory.accepts(selector, device);
      if (!answer.error.empty()) shortage.error = answer.error;
      if (!answer.accepts || !answer.error.empty()) return false;
    }
    return true;
  }

  const DeviceLedger& ledger_;
  const DeviceMap& map_;
  const Holders& holders_;
  Overlaps overlaps_;
  const devices::NodeView& node_;
  std::vector<devices::SeenPool> pools_;
};

}  // namespace

ReasonCode why_never(std::span<const DeviceLedger::Asked> claims, const devices::NodeDevices& node,
                     const devices::Inventory& inventory) {
  std::vector<devices::PlacedClaim> placed;
  for (const DeviceLedger::Asked& asked : claims) placed.push_back({asked.claim, {&node}});
  devices::Holdings none;
  devices::JointAnswer answer = devices::JointSearch(inventory, none).allocate(placed);
  if (answer.end != devices::JointEnd::None) return ReasonCode::DevicesTaken;
  return answer.error.empty() ? ReasonCode::NoDevicesForClaim : ReasonCode::DeviceClaimFails;
}

void find_shortages(std::span<const DeviceLedger::Asked> claims, const DeviceLedger& ledger,
                    const devices::NodeView& node, const DeviceMap& map, const Holders& holders,
                    std::vector<DeviceShortage>& shortages) {
  ShortageCount count(ledger, node, map, holders);
  for (const DeviceLedger::Asked& asked : claims) {
    devices::PreparedClaim prepared = devices::prepare(*asked.claim, map.inventory());
    for (const devices::PreparedRequest& request : prepared.requests) {
      for (const devices::PreparedAlternative& alternative : request.alternatives) {
        if (alternative.device_class == nullptr) {
          shortages.push_back({.request = alternative.name,
                               .device_class = alternative.alternative->device_class,
                               .wanted = alternative.count,
                               .error = prepared.error});
          continue;
        }
        shortages.push_back(count.of(alternative));
      }
    }
  }
}

}  // namespace trellis
