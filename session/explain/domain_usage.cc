#include "session/explain/domain_usage.h"

#include "session/cycle/session.h"
#include "session/explain/room.h"

namespace trellis {

NodeUsage measure_usage(const Session& session, ResourceId resource, NodeId node) {
  const NodeState& state = session.snapshot().state();
  int64_t free = free_amount(state, resource, node, FitMode::Now);
  NodeUsage usage{.allocated = state.allocatable[resource][node] - free};
  bool closed = is_closed(session.cluster().nodes()[node]);
  (closed ? usage.unavailable : usage.available) = free;
  return usage;
}

DomainUsage measure_usage(const Session& session, TopologyId topology) {
  const TopologyTree& tree = session.snapshot().trees()[topology];
  size_t domains = tree.domain_count();
  DomainUsage usage;
  auto add = [](int64_t& sum, int64_t amount) { sum = add_to_sum(sum, amount); };
  for (uint32_t i = 0; i < session.snapshot().state().now.size(); ++i) {
    ResourceId resource(i);
    DomainUsage::Column available(domains);
    DomainUsage::Column unavailable(domains);
    DomainUsage::Column allocated(domains);
    // Children come before their parents.
    for (uint32_t d = 0; d < domains; ++d) {
      DomainId domain(d);
      for (NodeId node : tree.own_nodes(domain)) {
        NodeUsage of_node = measure_usage(session, resource, node);
        add(available[domain], of_node.available);
        add(unavailable[domain], of_node.unavailable);
        add(allocated[domain], of_node.allocated);
      }
      DomainId parent = tree.parent(domain);
      if (!parent.valid()) continue;
      add(available[parent], available[domain]);
      add(unavailable[parent], unavailable[domain]);
      add(allocated[parent], allocated[domain]);
    }
    usage.available.push_back(std::move(available));
    usage.unavailable.push_back(std::move(unavailable));
    usage.allocated.push_back(std::move(allocated));
  }
  return usage;
}

}  // namespace trellis
