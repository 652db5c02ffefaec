// Places pods of a workload on nodes: on the fewest nodes that take them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "session/placement/placement_context.h"

namespace trellis {

struct FillRequest {
  PodClassId pod_class;
  int32_t pods = 0;
  FitMode mode = FitMode::Now;
  // Nodes that lose least room for this class come first; kNone: those that take most.
  PodClassId beside;
};

// Takes slots in the statement, appends them, and returns the number of pods placed. Nodes that are
// filled come first; the rest is placed on the tightest node that takes it. Where pods have terms
// about each other, node by node in the current state. Cost: O(nodes log nodes).
int32_t fill_nodes_with(PlacementContext& context, const FillRequest& request,
                        std::span<const NodeId> nodes, std::vector<SlotFill>& fills);

}  // namespace trellis
