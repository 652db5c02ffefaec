// How many cases an oracle tries: as written in a quick run, more with TRELLIS_LONG=1, and a
// quarter under a sanitizer, where each takes about twenty times as long and looks for other
// defects.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace trellis {

// The same number under a sanitizer, too: for oracles that judge how often something happens.
inline uint64_t whole_run(uint64_t quick, uint64_t longer) {
  const char* wanted = std::getenv("TRELLIS_LONG");
  return wanted != nullptr && std::string_view(wanted) == "1" ? longer : quick;
}

inline uint64_t long_run(uint64_t quick, uint64_t longer) {
  uint64_t cases = whole_run(quick, longer);
#ifdef TRELLIS_SANITIZED
  // What is few is written for what it covers, not for chance.
  constexpr uint64_t kFew = 40;
  if (cases == quick && quick > kFew) return quick / 4;
#endif
  return cases;
}

}  // namespace trellis
