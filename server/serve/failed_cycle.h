// A cycle that failed, kept so that it can be seen why.
#pragma once

#include <string>

#include "framework/time.h"

namespace trellis {

struct FailedCycle {
  std::string why;
  TimeUs at = kNoTime;
  std::string snapshot;  // its exact input (snapshot_text.h); empty: it cannot be written
};

}  // namespace trellis
