#include "topology/home_domains.h"

#include <algorithm>

namespace trellis {

std::vector<DomainId> home_domains(const TopologyTree& tree, std::span<const NodeId> nodes,
                                   int level) {
  std::vector<DomainId> domains;
  for (NodeId node : nodes) {
    if (!tree.contains(node)) continue;
    DomainId domain = tree.ancestor(tree.domain_of(node), level);
    if (domain.valid()) domains.push_back(domain);
  }
  std::sort(domains.begin(), domains.end());
  domains.erase(std::unique(domains.begin(), domains.end()), domains.end());
  return domains;
}

bool covers(const TopologyTree& tree, DomainId outer, DomainId inner) {
  return tree.ancestor(inner, tree.level_of(outer)) == outer;
}

}  // namespace trellis
