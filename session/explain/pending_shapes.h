// The shapes of the gangs that wait.
//
// Words: a *shape* is what its gangs have in common. Cost: O(waiting pods).
#pragma once

#include <cstdint>
#include <vector>

#include "session/explain/demand_part.h"

namespace trellis {

// Gangs that wait for equal pods under an equal topology constraint.
struct PendingShape {
  GangId gang;  // the first of them by namespace and name
  int64_t gangs = 0;
  std::vector<AskedRow> rows;  // the rest of the minimum
  TopologyConstraint topology;
};

int64_t pods_of(const PendingShape& shape);

// By the first gang's name.
std::vector<PendingShape> pending_shapes(const Session& session);

}  // namespace trellis
