// A waiting gang for which other gangs are to be moved.
#pragma once

#include <vector>

#include "framework/plugin.h"
#include "framework/queue_amounts.h"
#include "session/placement/gang_rows.h"

namespace trellis {

struct MoveRequest {
  GangId gang;
  MoveCause cause = MoveCause::Preempt;
  std::vector<RowPods> rows;  // pods that have to be placed next, together
  QueueAmounts need;          // of these pods
};

}  // namespace trellis
