// The NUMA zone as the last level of a topology, below the hostname.
//
// No label of a node names a zone, so the level is not in the topology's tree. A gang or subgroup
// that requires it requires the hostname, and its pods are a zone group (PodDemand::zone_group),
// which the plugin `numa` keeps together. A gang or subgroup that prefers it prefers the hostname.
#pragma once

#include <span>

#include "framework/gang.h"
#include "framework/string_table.h"
#include "framework/topology.h"
#include "server/document/field_reader.h"
#include "server/grouping/link_topology.h"
#include "server/objects/records.h"

namespace trellis {

// Makes zone constraints of `gang` hostname constraints, and sets the group of each pod that must
// share a zone.
void link_zone_groups(const TopologyLinker& topologies, FieldReader& fields,
                      std::span<PodRecord* const> pods, Gang& gang);

// Removes the zone level, for which nodes have no label.
void drop_zone_level(Topology& topology, const StringTable& strings);

}  // namespace trellis
