// How gangs pass waiting gangs that are before them, where run times are known.
#pragma once

#include <cstdint>

namespace trellis {

enum class Backfill : uint8_t {
  None,          // they pass without regard to time
  Easy,          // none delays the first waiting gang of a queue
  Conservative,  // none delays any gang before it
};

}  // namespace trellis
