// Promised places that wait for a report of NUMA zones: the pods that held the zones have left, and
// the node's agent has not reported it yet.
#pragma once

#include <optional>
#include <span>

#include "framework/reason.h"
#include "session/cycle/session.h"
#include "session/placement/workload_search.h"

namespace trellis {

// A pod of a class that is promised a node.
struct PromisedNode {
  PodClassId pod_class;
  NodeId node;
};

// nullopt: none of the promises waits for a report.
std::optional<Reason> late_report(const PlacementContext& context,
                                  std::span<const PromisedNode> promises);

// The same for the place of a workload.
std::optional<Reason> late_report(const PlacementContext& context, const WorkloadPlace& place);

// Adds the reason to those of each gang to which this cycle has promised such a place.
void add_late_report_reasons(Session& session);

}  // namespace trellis
