// What small work leaves of a hall for large gangs: whole racks, and whole nodes close together.
//
// Pods of up to a node arrive until they use a part of the GPUs, and then for each that leaves
// another arrives.
#pragma once

#include <cstdint>

#include "framework/config.h"

namespace trellis::bench {

struct HallInput {
  Config config;
  double fill = 0;   // part of the GPUs that the pods use
  double churn = 0;  // pods that leave and are replaced, as a multiple of the pods that run
  uint64_t seed = 0;
};

struct HallRoom {
  double whole_racks = 0;  // without any pod
  double in_rack = 0;      // the most whole nodes of one rack
  double in_block = 0;
  double whole_nodes = 0;
};

HallRoom fill_hall(const HallInput& input);

}  // namespace trellis::bench
