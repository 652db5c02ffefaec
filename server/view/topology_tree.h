// Draws topologies as trees of domains, each domain with a bar of its used and free amount.
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

// Gangs with subgroups, as trees: the domain of each subgroup, and its number of placed pods. ""
// when no gang has subgroups.
std::string subgroup_trees(const Cluster& cluster, const CycleRecord& record, Glyphs glyphs,
                           Colours colours);

}  // namespace trellis
