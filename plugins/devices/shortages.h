// Why a node has no devices for claims, and who has them.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "framework/device_claims.h"
#include "framework/reason.h"
#include "plugins/devices/device_ledger.h"
#include "plugins/devices/device_map.h"

namespace trellis {

// Of claims that find no devices on the node: whether they would find some if all devices were
// free (DevicesTaken), none (NoDevicesForClaim), or fail.
ReasonCode why_never(std::span<const DeviceLedger::Asked> claims, const devices::NodeDevices& node,
                     const devices::Inventory& inventory);

// Who has a device, or a part of it: "namespace/name" of pods, or else "claim namespace/name";
// sorted.
using Holders = std::map<devices::DeviceId, std::vector<std::string>>;

// Appends what the node has for each request of the claims.
void find_shortages(std::span<const DeviceLedger::Asked> claims, const DeviceLedger& ledger,
                    const devices::NodeView& node, const DeviceMap& map, const Holders& holders,
                    std::vector<DeviceShortage>& shortages);

}  // namespace trellis
