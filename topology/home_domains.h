// The domains that running pods bind other pods to.
#pragma once

#include <span>
#include <vector>

#include "topology/tree.h"

namespace trellis {

// The domains of a level that contain the nodes: sorted, each once. A node that lacks the level's
// label is in none of them: pods that all run on such nodes leave no domain for the others. The
// others are free only where no pod runs.
std::vector<DomainId> home_domains(const TopologyTree& tree, std::span<const NodeId> nodes,
                                   int level);

// Whether `inner` is `outer` or is below it.
bool covers(const TopologyTree& tree, DomainId outer, DomainId inner);

}  // namespace trellis
