// The labels that a node needs to have room for slots. A slot names a whole path of domains: a node
// that lacks the label of a level has no room for it, whatever plugins are enabled.
#pragma once

#include <vector>

#include "session/cluster/cluster.h"

namespace trellis {

// The labels that a node must have for pods of the class: those of all levels, where the class
// requires each level of a flavor's topology, as the classes of PodSets with a flavor do.
// Cost: O(flavors x levels x terms) where there is a required affinity.
std::vector<StrId> slot_levels(const Cluster& cluster, const PodSpec& spec);

}  // namespace trellis
