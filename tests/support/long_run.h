// TRELLIS_LONG=1 makes the runs of the oracles long; quick ones are a quarter under sanitizers,
// which take ten times as long.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace trellis {

inline uint64_t long_run(uint64_t quick, uint64_t longer) {
  const char* wanted = std::getenv("TRELLIS_LONG");
  if (wanted != nullptr && std::string_view(wanted) == "1") return longer;
#ifdef TRELLIS_SANITIZED
  return quick / 4;
#else
  return quick;
#endif
}

}  // namespace trellis
