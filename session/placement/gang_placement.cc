#include "session/placement/gang_placement.h"

#include <string>

#include "framework/topology_levels.h"

namespace trellis {
namespace {

DomainId common_domain(const TopologyTree& tree, DomainId a, DomainId b) {
  while (tree.level_of(a) > tree.level_of(b)) a = tree.parent(a);
  while (tree.level_of(b) > tree.level_of(a)) b = tree.parent(b);
  while (a != b) a = tree.parent(a), b = tree.parent(b);
  return a;
}

}  // namespace

std::optional<GangPlacement> gang_placement(const Cluster& cluster, const Snapshot& snapshot,
                                            GangId gang) {
  const TopologyConstraint& constraint = cluster.gangs()[gang].topology;
  if (!constraint.topology.valid()) return std::nullopt;
  const StringTable& strings = cluster.vocabulary().strings;
  TopologyId id = cluster.find_topology(strings.view(constraint.topology));
  if (!id.valid() || id.value >= snapshot.trees().size()) return std::nullopt;
  const Topology& topology = cluster.topologies()[id];
  const TopologyTree& tree = snapshot.trees()[id];

  DomainId all;
  for (PodId pod : cluster.pods_of(gang)) {
    PodState state = snapshot.pod(pod);
    if (!stays(state.status) || !state.node.valid() || !tree.contains(state.node)) continue;
    DomainId mine = tree.domain_of(state.node);
    all = all.valid() ? common_domain(tree, all, mine) : mine;
  }
  if (!all.valid()) return std::nullopt;
  ResolvedLevels levels = resolve_levels(topology, constraint, strings);
  int deepest = levels.preferred >= 0 ? levels.preferred : levels.required;
  while (tree.level_of(all) > deepest) all = tree.parent(all);

  GangPlacement placement;
  placement.topology = topology.name;
  if (int level = tree.level_of(all); level >= 0) {
    placement.level = strings.view(topology.levels[static_cast<size_t>(level)].label);
  }
  for (StrId value : tree.path(all)) placement.domain.emplace_back(strings.view(value));
  return placement;
}

}  // namespace trellis
