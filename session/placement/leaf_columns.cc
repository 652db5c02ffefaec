#include "session/placement/leaf_columns.h"

#include <algorithm>
#include <string_view>

#include "framework/topology.h"
#include "session/fits/fit_kernels.h"

namespace trellis {
namespace {

bool is_kueue(const PlacementContext& context) {
  return context.config().placement_profile == PlacementProfile::Kueue;
}

int64_t request_of(const PlacementContext& context, PodClassId pod_class, ResourceId resource) {
  return context.cluster().pod_classes()[pod_class].requests.get(resource);
}

// Kueue checks the leader against the workers' selectors and tolerations.
bool takes_leader(PlacementContext& context, NodeId node, const BesideQuery& query) {
  if (!is_kueue(context)) return context.fits().node_fit(node, query.leader, query.mode) > 0;
  if (context.fits().class_verdict(query.workers, node) != ReasonCode::None) return false;
  const auto& columns = context.snapshot().state().columns(query.mode);
  for (const ResourceAmount& item :
       context.cluster().pod_classes()[query.leader].requests.items()) {
    if (columns[item.resource][node] < item.amount) return false;
  }
  return true;
}

bool counts_for(const Cluster& cluster, const Flavor& flavor, const Node& node) {
  return node.ready && !node.unschedulable && bears(node, flavor) &&
         cluster.alive(cluster.find_node(node.name));
}

}  // namespace

bool ends_in_nodes(const Cluster& cluster, TopologyId topology) {
  StrId last = cluster.topologies()[topology].levels.back().label;
  return cluster.vocabulary().strings.view(last) == kHostname;
}

int32_t fit_beside(PlacementContext& context, NodeId node, const BesideQuery& query) {
  int32_t fit = context.fits().node_fit(node, query.workers, query.mode);
  const auto& columns = context.snapshot().state().columns(query.mode);
  for (const ResourceAmount& item :
       context.cluster().pod_classes()[query.workers].requests.items()) {
    int64_t free = columns[item.resource][node] - request_of(context, query.leader, item.resource);
    fit = std::min(fit, fit_count(free, item.amount, fit));
  }
  return fit;
}

DomainCounts summed_counts(PlacementContext& context, const FlavoredPodSet& set, FitMode mode) {
  const Cluster& cluster = context.cluster();
  const TopologyTree& tree = context.snapshot().trees()[set.topology];
  const Flavor& flavor = cluster.workloads().flavors()[set.flavor];
  const auto& columns = context.snapshot().state().columns(mode);
  const ResourceList& requests = cluster.pod_classes()[set.pod_class].requests;
  IndexedVector<NodeId, int32_t> fit(cluster.nodes().size(), 0);
  IdRange leaves = tree.level(tree.level_count() - 1);
  for (uint32_t leaf = leaves.first; leaf < leaves.last; ++leaf) {
    std::span<const NodeId> nodes = tree.nodes(DomainId(leaf));
    int32_t count = kMostPodsPerNode;
    for (const ResourceAmount& item : requests.items()) {
      int64_t free = 0;
      for (NodeId node : nodes) {
        bool counts = counts_for(cluster, flavor, cluster.nodes()[node]);
        if (counts) free += columns[item.resource][node];
      }
      count = fit_count(free, item.amount, count);
    }
    fit[nodes.front()] = count;
  }
  return DomainCounts(tree, fit);
}

void LeafColumns::load_leader(PlacementContext& context, const WorkloadUnit& unit, FitMode mode) {
  const TopologyTree& tree = context.snapshot().trees()[unit.workers.topology];
  IdRange leaves = tree.level(tree.level_count() - 1);
  BesideQuery query{unit.workers.pod_class, unit.leader->pod_class, mode};
  leader_fits_.assign(leaves.size(), 0);
  beside_.assign(leaves.size(), 0);
  for (uint32_t leaf = leaves.first; leaf < leaves.last; ++leaf) {
    int64_t least_loss = 0;
    int64_t alone = 0;
    bool fits = false;
    for (NodeId node : tree.nodes(DomainId(leaf))) {
      int64_t fit = context.fits().node_fit(node, query.workers, mode);
      alone += fit;
      if (!takes_leader(context, node, query)) continue;
      int64_t loss = fit - fit_beside(context, node, query);
      least_loss = fits ? std::min(least_loss, loss) : loss;
      fits = true;
    }
    leader_fits_[leaf - leaves.first] = fits ? 1 : 0;
    beside_[leaf - leaves.first] = alone - least_loss;
  }
}

void LeafColumns::load_affinity(PlacementContext& context, const FlavoredPodSet& set) {
  const Cluster& cluster = context.cluster();
  const TopologyTree& tree = context.snapshot().trees()[set.topology];
  IdRange leaves = tree.level(tree.level_count() - 1);
  const PodSpec& spec = cluster.pod_classes()[set.pod_class];
  affinity_.assign(leaves.size(), 0);
  for (uint32_t leaf = leaves.first; leaf < leaves.last; ++leaf) {
    for (NodeId id : tree.nodes(DomainId(leaf))) {
      const Node& node = cluster.nodes()[id];
      for (const PreferredTerm& preferred : spec.preferred_affinity) {
        bool meets = matches(preferred.term, node.labels, node.name, cluster.vocabulary().strings);
        if (meets) affinity_[leaf - leaves.first] += preferred.weight;
      }
    }
  }
}

}  // namespace trellis
