// Where pods that run bind others to.
#pragma once

#include <span>
#include <vector>

#include "topology/tree.h"

namespace trellis {

// The domains of a level in which the nodes stand: sorted, each once. A node that lacks the level's
// label has none: pods that all run on such nodes bind the others to nowhere. The others are free
// only where none runs.
std::vector<DomainId> home_domains(const TopologyTree& tree, std::span<const NodeId> nodes,
                                   int level);

// Whether `inner` is `outer` or stands below it.
bool covers(const TopologyTree& tree, DomainId outer, DomainId inner);

}  // namespace trellis
