// Parts of outcomes: the domain that a gang ended up in, what a workload is admitted with, and the
// idle GPUs of a node.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

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

// The workload's admission at the end of the cycle; nullptr: it is not admitted.
const Admission* admission_of(const Cluster& cluster, const CycleRecord& record, WorkloadId id);

// Whole GPUs of the node that no pod holds, or that only leaving pods hold. `pods`: all pods that
// hold the node, and any others. A promised device is idle as long as no pod holds it.
NodeGpus count_node_gpus(const Cluster& cluster, const Snapshot& snapshot, NodeId node,
                         std::span<const PodId> pods);

// Whole devices that a pod could take now: neither held nor promised, nor a slot's.
int64_t count_free_gpus(const Snapshot& snapshot, NodeId node);

}  // namespace trellis
