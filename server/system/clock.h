// The clocks of the program. Decisions use times that are passed in, never these.
#pragma once

#include <chrono>
#include <cstdint>

#include "framework/time.h"

namespace trellis {

// The wall clock's time; it may jump.
inline TimeUs wall_us() {
  auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::microseconds>(now).count();
}

// The time since some moment; it never goes back.
inline int64_t steady_ns() {
  auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

inline int64_t steady_ms() { return steady_ns() / 1'000'000; }

}  // namespace trellis
