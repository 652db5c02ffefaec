// The NUMA zone as the last level of a topology, below the hostname.
//
// No label of a node says a zone, so the level is none of the topology's tree. A gang or subgroup
// that requires it requires the hostname, and its pods are a zone group (PodDemand::zone_group),
// which the plugin `numa` keeps together. One that prefers it prefers the hostname.
#pragma once

#include <span>

#include "framework/gang.h"
#include "framework/string_table.h"
#include "framework/topology.h"
#include "server/document/field_reader.h"
#include "server/grouping/link_topology.h"
#include "server/objects/records.h"

namespace trellis {

// Says of hostnames what `gang` asks of zones, and names the group of each pod that must share one.
void link_zone_groups(const TopologyLinker& topologies, FieldReader& fields,
                      std::span<PodRecord* const> pods, Gang& gang);

// The levels that nodes have labels for.
void drop_zone_level(Topology& topology, const StringTable& strings);

}  // namespace trellis
