// Times and amounts as numbers for output.
#pragma once

#include <array>
#include <cstdint>
#include <cstdio>
#include <string>

#include "framework/resources.h"
#include "framework/time.h"

namespace trellis {

inline double plain_seconds(TimeUs time) {
  return static_cast<double>(time) / static_cast<double>(kSecondUs);
}

inline double plain_gpus(int64_t milli) {
  return static_cast<double>(milli) / static_cast<double>(kMilli);
}

// With so many digits after the point.
inline std::string fixed_text(double value, int digits) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.*f", digits, value);
  return text.data();
}

}  // namespace trellis
