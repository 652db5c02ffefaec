// A gang that waits and asks that others be moved for it.
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
  QueueAmounts need;          // of those
};

}  // namespace trellis
