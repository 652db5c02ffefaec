// Whole GPUs of a node that nobody holds, or that only leaving pods hold.
#pragma once

#include <span>

#include "session/cluster.h"
#include "session/record.h"
#include "session/snapshot.h"

namespace trellis {

// `pods`: all that hold the node, and any others. A promised device is idle as long as nobody holds
// it.
NodeGpus count_node_gpus(const Cluster& cluster, const Snapshot& snapshot, NodeId node,
                         std::span<const PodId> pods);

}  // namespace trellis
