// The order in which a ClusterQueue prefers flavors when several suit (flavorFungibility).
#pragma once

#include "framework/cluster_queue.h"
#include "framework/quota_rules.h"

namespace trellis {

// How an amount fits a flavor's quota, and at which borrowing height.
struct FlavorGrade {
  FlavorMode mode = FlavorMode::NoFit;
  int borrowing = 0;
  bool operator==(const FlavorGrade&) const = default;
};

// Negative: a is better.
int compare(const FlavorGrade& a, const FlavorGrade& b, const FlavorFungibility& fungibility);

// Whether flavors after this one are ignored.
bool ends_search(const FlavorGrade& grade, const FlavorFungibility& fungibility);

}  // namespace trellis
