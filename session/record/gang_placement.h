// The domain that a gang ended up in.
#pragma once

#include <cstdint>
#include <optional>

#include "session/cluster/cluster.h"
#include "session/record/record.h"
#include "session/snapshot/snapshot.h"

namespace trellis {

// The lowest domain that holds all placed pods of the gang, no deeper than its preferred (else
// required) level. nullopt without a topology constraint, or while no pod has a node.
std::optional<GangPlacement> gang_placement(const Cluster& cluster, const Snapshot& snapshot,
                                            GangId gang);

// The same for a subgroup, by its own constraint and the pods in and below it.
std::optional<GangPlacement> subgroup_placement(const Cluster& cluster, const Snapshot& snapshot,
                                                GangId gang, int32_t subgroup);

}  // namespace trellis
