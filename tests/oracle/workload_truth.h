// Whether a small workload has a place, by trying every order of its pods and every node for each.
#pragma once

#include <vector>

#include "session/cycle/session.h"
#include "session/placement/workload_search.h"

namespace trellis {

// Equal pods. Rows of one bound unit must be in one domain of the level.
struct TrueRow {
  FlavoredPodSet set;
  int bound_unit = -1;  // -1: bound to no domain
  int level = 0;
};

// One row for each PodSet, with the flavor.
std::vector<TrueRow> true_rows(const Session& session, WorkloadId workload, FlavorId flavor);

DomainId domain_of(const Session& session, const TrueRow& row, NodeId node);

// In the current state of the statement, which is left as it is. Cost: (rows x nodes) ^ pods.
bool has_arrangement(Session& session, const std::vector<TrueRow>& rows, FitMode mode);

}  // namespace trellis
