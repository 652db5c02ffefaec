// The quota that each workload holds now.
#pragma once

#include <cstdint>
#include <vector>

#include "framework/ids.h"
#include "framework/time.h"

namespace trellis {

// An amount of one cell of the quota tree; the unit is that of the cell's resource.
struct QuotaAmount {
  QuotaCellId cell;
  int64_t amount = 0;
  bool operator==(const QuotaAmount&) const = default;
};

struct QuotaHolding {
  ClusterQueueId queue;
  int64_t held = 0;  // 1: it holds the amounts, in the current state of the statement
  std::vector<QuotaAmount> amounts;  // no cell twice
  TimeUs reserved_at = kNoTime;
  bool operator==(const QuotaHolding&) const = default;
};

}  // namespace trellis
