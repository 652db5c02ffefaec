// Pods of a workload onto nodes: the fewest nodes that take them.
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
  // Nodes that lose least room for this class go first; kNone: those that take most.
  PodClassId beside;
};

// Takes slots in the statement and appends them; gives the number of pods placed. Fullest
// use first, the rest on the tightest node that takes it. Where pods have a say on each other, node
// by node as things stand. Cost: O(nodes log nodes).
int32_t fill_nodes_with(PlacementContext& context, const FillRequest& request,
                        std::span<const NodeId> nodes, std::vector<SlotFill>& fills);

}  // namespace trellis
