// Divides an amount of one resource among sibling queues.
//
// First each queue gets what it deserves, as far as it can use it; these amounts may add up to more
// than there is. The rest goes to the queues of the highest priority in proportion to their
// weights, in whole units, until they have all that they can use. What rounding leaves goes unit by
// unit to the largest fraction, then the oldest, then the first by name; then the next priority
// follows.
// Guarantees: the order of the claims does not matter; no claim gets more than it can use.
// Cost: O(claims log claims) a round; a round that is not the last satisfies a claim.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "framework/time.h"

namespace trellis {

struct ShareClaim {
  int64_t deserved = 0;     // QueueShare::kUnlimited: all there is
  int64_t requestable = 0;  // the most that the queue can use
  double weight = 1.0;      // below 0 counts as 0
  double usage = 0.0;       // in the past
  int32_t priority = 100;
  TimeUs created = kNoTime;
  std::string_view name = {};
};

struct Dividend {
  int64_t amount = 0;
  int64_t unit = 1;
  double usage_pull = 1.0;  // how much past usage moves the weights
};

// The share of each claim.
std::vector<int64_t> divide(const Dividend& dividend, std::span<const ShareClaim> claims);

}  // namespace trellis
