#include "devices/alike_devices.h"

#include <algorithm>

#include "devices/pools.h"
#include "devices/requests.h"

namespace trellis::devices {
namespace {

// Does the request treat all devices that it accepts alike?
bool is_plain(const Claim& claim) {
  if (claim.requests.size() != 1 || !claim.constraints.empty()) return false;
  const Request& request = claim.requests[0];
  if (request.alternatives.size() != 1) return false;
  const Alternative& alternative = request.alternatives[0];
  return alternative.mode == Mode::Count && !alternative.admin_access &&
         !alternative.derives_attributes && alternative.capacity.empty() && alternative.count > 0 &&
         alternative.count <= kMostDevices;
}

bool is_tolerated(const Device& device, const Alternative& alternative) {
  return std::all_of(device.taints.begin(), device.taints.end(), [&](const Taint& taint) {
    bool binds = taint.effect == "NoSchedule" || taint.effect == "NoExecute";
    return !binds || tolerates(alternative.tolerations, taint);
  });
}

enum class Accepted : uint8_t { No, Yes, Unclear };

Accepted accepts(const Inventory& inventory, const PreparedAlternative& alternative,
                 DeviceIndex device) {
  for (SelectorIndex selector : alternative.selectors) {
    if (!inventory.expression(selector).valid()) return Accepted::Unclear;
    Inventory::Answer answer = inventory.accepts(selector, device);
    if (!answer.error.empty()) return Accepted::Unclear;
    if (!answer.accepts) return Accepted::No;
  }
  return Accepted::Yes;
}

}  // namespace

AlikeDevices alike_devices(const Claim& claim, const NodeView& node, const Inventory& inventory) {
  AlikeDevices found;
  if (!is_plain(claim)) return found;
  PreparedClaim prepared = prepare(claim, inventory);
  if (!prepared.error.empty()) return found;
  const PreparedAlternative& alternative = prepared.requests[0].alternatives[0];
  found.devices_of_claim = alternative.count;
  for (const SeenPool& pool : pools_seen_from(node, inventory)) {
    // What is wrong with an invalid pool, the search reports.
    if (pool.invalid) return found;
    if (!pool.complete) continue;
    for (uint32_t index : pool.slices) {
      const Slice& slice = inventory.slices()[index];
      if (!slice.counter_sets.empty()) continue;
      bool per_device = slice.reach.form == Reach::Form::PerDevice;
      for (uint32_t i = 0; i < slice.devices.size(); ++i) {
        const Device& device = slice.devices[i];
        Accepted accepted = accepts(inventory, alternative, inventory.first_device(index) + i);
        if (accepted == Accepted::Unclear) return found;
        if (accepted == Accepted::No || (per_device && !reaches(device.reach, node))) continue;
        if (device.shared || !device.counters.empty()) return found;
        if (!is_tolerated(device, *alternative.alternative)) continue;
        found.devices.push_back(inventory.first_device(index) + i);
      }
    }
  }
  found.alike = true;
  return found;
}

}  // namespace trellis::devices
