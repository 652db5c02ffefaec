// The tree of a topology with what is used, free, and still fits, as the last cycle left it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "framework/ids.h"
#include "framework/indexed_vector.h"
#include "framework/resources.h"

namespace trellis {

// How much of each resource is used and free in every domain of a topology, as columns.
//
// Words: a free amount is *available* on an open node, *unavailable* on a closed one (is_closed);
// together with the allocated amount they are the total.
// Cost: O(nodes x resources).
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
// Nothing of a resource that is a mere bound there (room.h).
NodeUsage measure_usage(const Session& session, ResourceId resource, NodeId node);

class Scheduler;
class Session;

// Waiting pods that are all alike.
struct PendingClass {
  std::string gang;  // "namespace/name" of the first gang by name that has some
  PodClassId pod_class;
};

std::vector<PendingClass> pending_classes(const Session& session);

struct ClassCount {
  std::string gang;  // "namespace/name" of a pending gang whose pods these are
  int64_t count = 0;
};

struct DomainReport {
  int64_t id = 0;  // children before parents
  std::string name;
  std::string level;              // label; "" for the root
  std::vector<std::string> path;  // values, coarsest first; empty for the root
  int64_t parent = -1;
  int64_t depth = 0;  // root 0
  int64_t nodes = 0;
  ResourceList available;  // as in DomainUsage
  ResourceList unavailable;
  ResourceList allocated;
  std::vector<ClassCount> allocatable_pods;
};

struct TopologyReport {
  std::string name;
  std::vector<std::string> levels;            // labels
  std::vector<DomainReport> domains;          // by id
  std::vector<std::string> incomplete_nodes;  // lack some level's label
};

// By topology name.
std::vector<TopologyReport> report_topologies(Scheduler& scheduler);

// The report without its domains.
TopologyReport report_head(const Session& session, TopologyId topology);

// `usage` is the topology's.
DomainReport report_domain(Session& session, TopologyId topology, DomainId domain,
                           const DomainUsage& usage, std::span<const PendingClass> pending);

}  // namespace trellis
