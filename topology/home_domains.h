// Where pods that run bind others to.
#pragma once

#include <span>
#include <vector>

#include "topology/tree.h"

namespace trellis {

// The domains of a level in which the nodes stand: sorted, each once. A node that is not in the
// tree, or lacks the level's label, has none.
std::vector<DomainId> home_domains(const TopologyTree& tree, std::span<const NodeId> nodes,
                                   int level);

// Whether `inner` is `outer` or stands below it.
bool covers(const TopologyTree& tree, DomainId outer, DomainId inner);

}  // namespace trellis
