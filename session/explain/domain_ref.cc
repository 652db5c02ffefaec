#include "session/explain/domain_ref.h"

#include "framework/topology.h"

namespace trellis {

DomainName name_of(const Session& session, DomainRef domain) {
  DomainName name;
  if (!domain.topology.valid()) return name;
  const StringTable& strings = session.cluster().vocabulary().strings;
  const Topology& topology = session.cluster().topologies()[domain.topology];
  const TopologyTree& tree = session.snapshot().trees()[domain.topology];
  name.topology = topology.name;
  if (!domain.domain.valid()) return name;
  int level = tree.level_of(domain.domain);
  if (level >= 0) name.level = strings.view(topology.levels[static_cast<size_t>(level)].label);
  for (StrId value : tree.path(domain.domain)) name.path.emplace_back(strings.view(value));
  return name;
}

bool is_node(const Session& session, DomainRef domain) {
  if (!domain.topology.valid()) return false;
  int level = session.snapshot().trees()[domain.topology].level_of(domain.domain);
  if (level < 0) return false;
  StrId label =
      session.cluster().topologies()[domain.topology].levels[static_cast<size_t>(level)].label;
  return session.cluster().vocabulary().strings.view(label) == kHostname;
}

std::span<const NodeId> nodes_of(const Session& session, DomainRef domain) {
  if (!domain.topology.valid()) return session.snapshot().all_nodes().node_order();
  return session.snapshot().trees()[domain.topology].nodes(domain.domain);
}

DomainId find_domain(const Session& session, TopologyId topology,
                     std::span<const std::string_view> path) {
  const StringTable& strings = session.cluster().vocabulary().strings;
  const TopologyTree& tree = session.snapshot().trees()[topology];
  DomainId at = tree.root();
  for (std::string_view value : path) {
    IdRange children = tree.children(at);
    DomainId found;
    for (uint32_t id = children.first; id < children.last && !found.valid(); ++id) {
      if (strings.view(tree.value(DomainId(id))) == value) found = DomainId(id);
    }
    if (!found.valid()) return found;
    at = found;
  }
  return at;
}

}  // namespace trellis
