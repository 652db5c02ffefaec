#include "session/record/gang_placement.h"

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

// Whether `subgroup` is `above` or somewhere below it; everything is below the gang (-1).
bool is_within(const Gang& gang, int32_t subgroup, int32_t above) {
  while (subgroup != above && subgroup >= 0) {
    subgroup = gang.subgroups[static_cast<size_t>(subgroup)].parent;
  }
  return subgroup == above;
}

std::optional<GangPlacement> placement(const Cluster& cluster, const Snapshot& snapshot, GangId id,
                                       int32_t subgroup, const TopologyConstraint& constraint) {
  if (!constraint.topology.valid()) return std::nullopt;
  const StringTable& strings = cluster.vocabulary().strings;
  TopologyId topology_id = cluster.find_topology(strings.view(constraint.topology));
  if (!topology_id.valid() || topology_id.value >= snapshot.trees().size()) return std::nullopt;
  const Topology& topology = cluster.topologies()[topology_id];
  const TopologyTree& tree = snapshot.trees()[topology_id];

  DomainId all;
  for (PodId pod : cluster.pods_of(id)) {
    PodState state = snapshot.pod(pod);
    if (!will_remain(state.status) || !state.node.valid() || !tree.contains(state.node)) continue;
    if (!is_within(cluster.gangs()[id], snapshot.key(pod).subgroup, subgroup)) continue;
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

}  // namespace

std::optional<GangPlacement> gang_placement(const Cluster& cluster, const Snapshot& snapshot,
                                            GangId gang) {
  return placement(cluster, snapshot, gang, -1, cluster.gangs()[gang].topology);
}

std::optional<GangPlacement> subgroup_placement(const Cluster& cluster, const Snapshot& snapshot,
                                                GangId gang, int32_t subgroup) {
  const Gang& record = cluster.gangs()[gang];
  return placement(cluster, snapshot, gang, subgroup,
                   record.subgroups[static_cast<size_t>(subgroup)].topology);
}

}  // namespace trellis
