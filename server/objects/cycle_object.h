// The Cycle object: what a saved cluster needs besides its objects.
#pragma once

#include "framework/config.h"
#include "framework/time.h"

namespace trellis {

// What a saved cycle says of itself: with it, the same objects are decided about in the same way.
struct CycleObject {
  TimeUs now = 0;
  Config config;
  bool make_pods = true;            // as ReadOptions'
  bool hold_gpu_fractions = false;  // as hold_gpu_fractions() does
};

}  // namespace trellis
