// Places several gangs together by trying every arrangement of their pods: for a few pods, where
// one gang after the other leaves the last of them without a place.
//
// Guarantees: unless all pods were promised a place, the statement is as it was; NoFit: there is no
// arrangement. Preferred levels are not regarded.
// Cost: what the budget has left.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "session/placement/gang_search.h"
#include "session/placement/placement_context.h"
#include "session/placement/search_budget.h"

namespace trellis {

struct GangPods {
  GangId gang;
  std::vector<PodId> pods;
};

// The pods by leaf subgroup of their gang, equal ones together.
std::vector<LeafPods> leaves_of(const PlacementContext& context, std::span<const PodId> pods);

// REQUIRES: no class of the pods is linked.
SearchResult place_together(PlacementContext& context, SearchBudget& budget,
                            std::span<const GangPods> gangs);

}  // namespace trellis
