// Random worlds, small enough for an oracle that tries everything.
#pragma once

#include <cstdint>

#include "tests/support/plan.h"
#include "tests/support/random.h"

namespace trellis::oracle {

struct TinyLimits {
  uint32_t nodes = 6;
  uint32_t pods = 5;  // of each waiting gang
  uint32_t gangs = 1;
  bool leaving = true;  // some pods are on their way out
  bool sharing = true;  // some pods ask for parts of GPUs
};

// Nodes in a ragged tree of up to three levels (topology "t"), pods "f-..." that run or leave, and
// gangs "g0", "g1", ... that wait, some of whose pods may run already. No node is over-full.
Plan tiny_world(uint64_t seed, const TinyLimits& limits = {});

}  // namespace trellis::oracle
