// How much of each resource is used and free in every domain of a topology, as columns.
//
// Words: a free amount is *available* on an open node, *unavailable* on a closed one (is_closed);
// together with the allocated amount they are the total.
// Cost: O(nodes x resources).
#pragma once

#include <cstdint>
#include <vector>

#include "framework/ids.h"
#include "framework/indexed_vector.h"
#include "framework/resources.h"

namespace trellis {

class Session;

struct DomainUsage {
  using Column = IndexedVector<DomainId, int64_t>;
  IndexedVector<ResourceId, Column> available;  // now, parts of shared GPUs included
  IndexedVector<ResourceId, Column> unavailable;
  IndexedVector<ResourceId, Column> allocated;
};

DomainUsage measure_usage(const Session& session, TopologyId topology);

struct NodeUsage {
  int64_t available = 0;
  int64_t unavailable = 0;
  int64_t allocated = 0;
};
NodeUsage measure_usage(const Session& session, ResourceId resource, NodeId node);

}  // namespace trellis
