// Whole GPUs of a node that no pod holds, or that only leaving pods hold.
#pragma once

#include <span>

#include "session/cluster/cluster.h"
#include "session/record/record.h"
#include "session/snapshot/snapshot.h"

namespace trellis {

// `pods`: all pods that hold the node, and any others. A promised device is idle as long as no pod
// holds it.
NodeGpus count_node_gpus(const Cluster& cluster, const Snapshot& snapshot, NodeId node,
                         std::span<const PodId> pods);

// Whole devices that a pod could take now: neither held nor promised, nor a slot's.
int64_t count_free_gpus(const Snapshot& snapshot, NodeId node);

}  // namespace trellis
