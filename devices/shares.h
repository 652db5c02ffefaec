// How much of a device's capacity a request gets.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "devices/model.h"

namespace trellis::devices {

// What a share would be. Neither amounts nor error: no share of this device serves the request.
struct Share {
  std::optional<Amounts> amounts;
  std::string error;
};

// All capacities of the device: as requested, raised to what its policy allows.
Share share_of(const Device& device, const Amounts& requested);

// Is so much left of the device beside what others use?
bool fits(const Device& device, const Amounts& share, const Amounts& used);

void add(Amounts& to, const Amounts& more);
void subtract(Amounts& from, const Amounts& less);

}  // namespace trellis::devices
