#include "session/domain_usage.h"

#include "session/explain/room.h"
#include "session/session.h"

namespace trellis {

NodeUsage measure_usage(const Session& session, ResourceId resource, NodeId node) {
  const NodeState& state = session.snapshot().state();
  int64_t free = free_amount(state, resource, node, FitMode::Now);
  return {free, state.allocatable[resource][node] - free};
}

DomainUsage measure_usage(const Session& session, TopologyId topology) {
  const TopologyTree& tree = session.snapshot().trees()[topology];
  size_t domains = tree.domain_count();
  DomainUsage usage;
  for (uint32_t i = 0; i < session.snapshot().state().now.size(); ++i) {
    ResourceId resource(i);
    DomainUsage::Column available(domains);
    DomainUsage::Column allocated(domains);
    // Children come before their parents.
    for (uint32_t d = 0; d < domains; ++d) {
      DomainId domain(d);
      for (NodeId node : tree.own_nodes(domain)) {
        NodeUsage of_node = measure_usage(session, resource, node);
        available[domain] += of_node.available;
        allocated[domain] += of_node.allocated;
      }
      DomainId parent = tree.parent(domain);
      if (!parent.valid()) continue;
      available[parent] += available[domain];
      allocated[parent] += allocated[domain];
    }
    usage.available.push_back(std::move(available));
    usage.allocated.push_back(std::move(allocated));
  }
  return usage;
}

}  // namespace trellis
