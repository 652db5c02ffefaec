// How many nodes refuse the pods of a gang, and for which causes: a node counts for each of its
// causes, of every plugin, where a gang's reason counts a node for its first one.
//
// Cost: a pass over the nodes for each pod class, every plugin asked about every node; computed
// only on request.
#pragma once

#include <vector>

#include "session/explain/demand_explanation.h"

namespace trellis {

struct ClassRefusals {
  PodId example;                     // the first pod of the class that waits
  std::vector<VerdictCount> causes;  // most nodes first, then by code and resource's name
};

// Of the classes of the pods that wait, the first kMostRefusedClasses.
inline constexpr size_t kMostRefusedClasses = 16;

// REQUIRES: the session has been opened without the gang's decisions.
std::vector<ClassRefusals> count_refusals(Session& session, const DemandExplanation& explanation);

}  // namespace trellis
