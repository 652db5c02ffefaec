// The objects of a cluster as they are now, for another cluster.
//
// Guarantees: a cluster with an equal vocabulary to which they are added decides alike.
// Cost: a copy of each record; pods share the spec of their class.
#pragma once

#include "session/cluster/cluster.h"
#include "session/cluster/objects.h"

namespace trellis {

// By kind, in no order within a kind.
Objects objects_of(const Cluster& cluster);

}  // namespace trellis
