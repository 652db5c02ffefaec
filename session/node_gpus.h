// Whole GPUs of each node that nobody holds, or that only leaving pods hold.
#pragma once

#include "framework/indexed_vector.h"
#include "session/cluster.h"
#include "session/record.h"
#include "session/snapshot.h"

namespace trellis {

// A promised device is idle as long as nobody holds it.
IndexedVector<NodeId, NodeGpus> count_node_gpus(const Cluster& cluster, const Snapshot& snapshot);

}  // namespace trellis
