// Why a gang does not fit: the verdicts of all nodes, counted, and the nearest domain.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "framework/reason.h"
#include "session/placement/placement_context.h"
#include "session/placement/pod_rows.h"

namespace trellis {

// The first refusal of a node: a plugin's, or the resource that is short (a GPU before others);
// code None when a pod of the class fits.
struct NodeVerdict {
  ReasonCode code = ReasonCode::None;
  ResourceId resource;
  std::string_view plugin;
  auto operator<=>(const NodeVerdict&) const = default;
};

NodeVerdict node_verdict(PlacementContext& context, PodClassId pod_class, FitMode mode,
                         NodeId node);

// The nodes that take pods of the class, but fewer than their resources would: their number, and
// the plugin that limits most of them; the code is None. 0 nodes: there are no such nodes, or the
// class shares GPUs. Cost: O(nodes x counters that apply to the class).
VerdictCount limited_nodes(PlacementContext& context, PodClassId pod_class, FitMode mode,
                           std::span<const NodeId> nodes);
// Moves the last of the reason's verdicts, if it is such a count, to the reason's limit.
void take_limit(Reason& reason);

// The whole reason for a gang whose search for places of `needed` of its waiting pods ended with
// `code` (NodesNoFit, TopologyNoFit or SearchBudgetExhausted).
Reason no_fit_reason(PlacementContext& context, GangId gang, int64_t needed, ReasonCode code);

// The nodes that would take such a gang first if they were empty: those of the nearest domain;
// without one, the first nodes by name that are enough.
struct NearestPlace {
  Reason miss;
  std::vector<NodeId> nodes;
};
NearestPlace nearest_place(PlacementContext& context, GangId gang, int64_t needed, ReasonCode code);

// How many pods of a linked row could be placed: its counts alone are too high.

// Places as many pods of the row as find room, leaves them in the statement, and returns their
// number. The verdicts of nodes then explain why not one more pod fits. Cost: some searches of
// short budget.
int64_t place_most(PlacementContext& context, const SearchRow& row, std::span<const NodeId> nodes);

}  // namespace trellis
