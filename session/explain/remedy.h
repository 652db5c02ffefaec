// What would make a demand fit in a domain.
#pragma once

#include <cstdint>
#include <vector>

#include "session/explain/demand_explanation.h"

namespace trellis {

struct Remedy {
  int64_t more_nodes = 0;       // empty ones like the domain's best; 0: no number of them would do,
                                // no domain of the level is that large, or the domain is a node
  std::vector<Shortage> freed;  // on the domain's nodes, at the least; empty: that would not help
  bool empty() const { return more_nodes == 0 && freed.empty(); }
};

// Empty where the domain takes the pods, or where it is not room that the pods lack. For pods that
// differ the figures are by count. Cost: O(nodes of the domain), and a sort of them.
Remedy remedy_for(Session& session, const DemandExplanation& explanation,
                  const DomainJudgement& judgement);

}  // namespace trellis
