// Figures of this process, from /proc.
#pragma once

#include <cstdint>

namespace trellis {

struct ProcessFigures {
  double cpu_seconds = 0;
  int64_t resident_bytes = 0;
  int64_t open_descriptors = 0;
  int64_t max_descriptors = 0;
  int64_t threads = 0;
};

// A figure that cannot be read is 0. Cost: some 10 us and one a descriptor.
ProcessFigures read_process_figures();

}  // namespace trellis
