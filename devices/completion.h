// What an allocation says besides its devices: from which nodes they can be used, and how they are
// configured.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "devices/inventory.h"
#include "devices/model.h"

namespace trellis::devices {

// A request, and the alternative of it that was chosen.
struct ChosenRequest {
  const Request* request = nullptr;
  const Alternative* alternative = nullptr;
  // "request", or "request/alternative".
  std::string name;
};

// Claims that configure this driver are channels of a compute domain of NVIDIA's, which the rest of
// the configuration names.
inline constexpr std::string_view kComputeDomainDriver = "compute-domain.nvidia.com";

// In the order of Kubernetes: configuration of the classes, then that of the claim.
std::vector<Config> configuration_of(const Claim& claim, std::span<const ChosenRequest> chosen,
                                     const Inventory& inventory);

// As seen from this node; nullopt: all nodes.
std::optional<NodeTerm> nodes_of(std::span<const DeviceIndex> devices, const NodeView& node,
                                 const Inventory& inventory);

// The allocation of a claim whose only request gets these devices, none of which is shared.
// REQUIRES: the request has one alternative.
Allocation plain_allocation(const Claim& claim, std::span<const DeviceIndex> devices,
                            const NodeView& node, const Inventory& inventory);

// The same devices for a claim that differs in name and configuration.
Allocation allocation_for(const Claim& claim, Allocation devices, const Inventory& inventory);

}  // namespace trellis::devices
