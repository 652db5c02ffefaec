// Which flavor a ClusterQueue prefers when several could do (flavorFungibility).
#pragma once

#include "framework/cluster_queue.h"
#include "framework/quota_rules.h"

namespace trellis {

// How an amount stands in a flavor's quota.
struct FlavorStanding {
  FlavorMode mode = FlavorMode::NoFit;
  int borrowing = 0;
  bool operator==(const FlavorStanding&) const = default;
};

// Negative: a is better.
int compare(const FlavorStanding& a, const FlavorStanding& b, const FlavorFungibility& fungibility);

// Whether flavors after this one are not looked at.
bool ends_search(const FlavorStanding& standing, const FlavorFungibility& fungibility);

}  // namespace trellis
