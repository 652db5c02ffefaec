// NUMA zones for the nodes and pods of a World: zones of whole cores, numbered from 0, under the
// policy single-numa-node, scope pod.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/world.h"

namespace trellis::test {

// The agent's report of the node: the cores that each zone has, and those that are free.
void report_zones(World& world, NodeId node, const std::vector<int64_t>& cores,
                  const std::vector<int64_t>& free, ZoneTrust trust = ZoneTrust::Unknown);

// A Guaranteed container of so many cores.
SharedValue<PodDemand> zone_demand(int64_t cores);

// The container is in this zone, and was bound before the node's report.
SharedValue<PodContainers> in_zone(World& world, int64_t zone);

// A gang of one pod, named NAME and NAME-0, that needs so many cores of one zone. `zone` >= 0: it
// runs on `node` in this zone.
struct ZonedGang {
  int64_t cores = 1;
  int32_t priority = 0;
  std::string node = {};
  int64_t zone = -1;
};
PodId zoned_gang(World& world, const std::string& name, const ZonedGang& args);

}  // namespace trellis::test
