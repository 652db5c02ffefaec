// Requests as the search reads them: classes found, selectors compiled, names resolved.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "devices/inventory.h"

namespace trellis::devices {

// A claim gets at most so many devices.
inline constexpr int64_t kMostDevices = 32;

struct PreparedAlternative {
  const Alternative* alternative = nullptr;
  const Class* device_class = nullptr;
  // "request", or "request/alternative".
  std::string name;
  // Those of the class, then those of the request.
  std::vector<SelectorIndex> selectors;
  size_t class_selectors = 0;
  // Constraints of the claim that cover it.
  std::vector<uint32_t> constraints;
  // Of mode All: its devices are fixed before the search begins.
  bool all = false;
  std::vector<uint32_t> fixed;
  int64_t count = 0;
};

struct PreparedRequest {
  const Request* request = nullptr;
  std::vector<PreparedAlternative> alternatives;
  // Devices that the claim's later requests get at least.
  int64_t least_behind = 0;
};

struct PreparedClaim {
  const Claim* claim = nullptr;
  std::vector<PreparedRequest> requests;
  // Not "": the claim cannot be allocated on any node.
  std::string error;
  std::string label() const { return "claim " + claim->name_space + "/" + claim->name; }
};

// Stops at the first error. Devices of mode All are not fixed yet.
PreparedClaim prepare(const Claim& claim, const Inventory& inventory);

}  // namespace trellis::devices
