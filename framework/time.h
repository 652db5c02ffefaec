// Time in the core is a number that the caller passes in: the core reads no clock.
#pragma once

#include <cstdint>

namespace trellis {

using TimeUs = int64_t;  // microseconds since 1970-01-01T00:00:00Z
inline constexpr TimeUs kNoTime = INT64_MIN;
inline constexpr TimeUs kSecondUs = 1'000'000;

inline double seconds(int64_t ns) { return static_cast<double>(ns) / 1e9; }

}  // namespace trellis
