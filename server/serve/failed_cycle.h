// A cycle that failed, kept so that the cause can be found.
#pragma once

#include <string>

#include "framework/time.h"

namespace trellis {

struct FailedCycle {
  std::string why;
  TimeUs at = kNoTime;
  std::string snapshot;  // its exact input (snapshot_text.h); empty: it could not be written
};

}  // namespace trellis
