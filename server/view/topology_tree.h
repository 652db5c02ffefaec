// Topologies as trees of domains, each with a bar of what is used and what is free.
#pragma once

#include <string>
#include <vector>

#include "server/text/style.h"
#include "server/view/bar.h"
#include "session/cluster/cluster.h"
#include "session/explain/topology_report.h"
#include "session/record/record.h"

namespace trellis {

// Counts GPUs, or CPUs where a topology holds no GPU. Single nodes (the level
// kubernetes.io/hostname) are drawn only where there are few of them.
std::string topology_tree(const std::vector<TopologyReport>& topologies, Glyphs glyphs,
                          Colours colours);

// One line for a cluster without a topology.
std::string cluster_line(const Cluster& cluster, const CycleRecord& record, Glyphs glyphs,
                         Colours colours);

// Gangs with subgroups, as trees: where each is, and how many of its pods. "" when there is none.
std::string subgroup_trees(const Cluster& cluster, const CycleRecord& record, Glyphs glyphs,
                           Colours colours);

}  // namespace trellis
