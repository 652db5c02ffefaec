// Kubernetes quantities: "1500m", "16Gi", "0.5", "1e3".
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "framework/resources.h"

namespace trellis {

struct Quantity {
  int64_t amount = 0;     // in the requested unit, rounded away from zero, within +-`most`
  bool negative = false;  // also when the amount rounds to 0
  bool exact = true;      // nothing was rounded and nothing saturated
};

// A number (digits with at most one point, an optional sign) and a suffix: n u m k M G T P E,
// Ki Mi Gi Ti Pi Ei, or a decimal exponent (e3, E-3). `decimals`: the requested unit is
// 10^-decimals, so 3 gives thousandths. nullopt when the text is no quantity.
std::optional<Quantity> parse_quantity(std::string_view text, int decimals,
                                       int64_t most = kMaxAmount);

// A whole number without a suffix; nullopt when the text is no such number or exceeds int64_t.
std::optional<int64_t> to_integer(std::string_view text);

}  // namespace trellis
