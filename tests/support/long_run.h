// TRELLIS_LONG=1 makes the runs of the oracles long.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace trellis {

inline uint64_t long_run(uint64_t quick, uint64_t longer) {
  const char* wanted = std::getenv("TRELLIS_LONG");
  return wanted != nullptr && std::string_view(wanted) == "1" ? longer : quick;
}

}  // namespace trellis
