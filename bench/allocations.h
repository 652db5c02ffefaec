// How often the program has asked for memory, and how much it holds. All of `trellis_bench` counts.
#pragma once

#include <cstdint>

namespace trellis::bench {

// Calls of operator new since the program began.
int64_t allocations();
// What was asked for and not given back, as the allocator rounds it.
int64_t held_bytes();

}  // namespace trellis::bench
