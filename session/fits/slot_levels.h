// Slots name a whole path of domains: a node that lacks the label of a level has no place for them,
// whatever plugins are on.
#pragma once

#include <vector>

#include "session/cluster/cluster.h"

namespace trellis {

// The labels that a node has to bear for pods of the class: of all levels, where they ask for each
// of a flavor's topology to be there, as the classes of PodSets with a flavor do.
// Cost: O(flavors x levels x terms) where there is a required affinity.
std::vector<StrId> slot_levels(const Cluster& cluster, const PodSpec& spec);

}  // namespace trellis
