#include "session/cycle/spare_room.h"

#include <algorithm>
#include <span>

#include "framework/topology_levels.h"
#include "session/placement/node_filling.h"
#include "topology/tree.h"

namespace trellis {
namespace {

std::vector<GangId> by_name(const Cluster& cluster, std::span<const GangId> ids) {
  const StringTable& strings = cluster.vocabulary().strings;
  std::vector<GangId> gangs(ids.begin(), ids.end());
  auto key = [&](GangId id) {
    const Gang& gang = cluster.gangs()[id];
    return std::pair(strings.view(gang.name_space), std::string_view(gang.name));
  };
  std::sort(gangs.begin(), gangs.end(), [&](GangId a, GangId b) { return key(a) < key(b); });
  return gangs;
}

}  // namespace

// The pod that the spares are like: the last of those that run, which is no leader where others do.
PodId SpareRoom::pattern(GangId gang) const {
  PodId last;
  for (PodId pod : context_.cluster().pods_of(gang)) {
    PodState state = context_.snapshot().pod(pod);
    if (!will_remain(state.status) || !state.node.valid()) continue;
    if (!last.valid() || context_.ranks_before(last, pod)) last = pod;
  }
  return last;
}

std::vector<NodeId> SpareRoom::nodes_for(GangId id) const {
  const Cluster& cluster = context_.cluster();
  const Gang& gang = cluster.gangs()[id];
  const StringTable& strings = cluster.vocabulary().strings;
  std::vector<NodeId> own = context_.placed_nodes(id);
  std::sort(own.begin(), own.end());
  std::vector<NodeId> nodes;
  TopologyId topology;
  int level = -1;
  if (gang.topology.topology.valid()) {
    topology = cluster.find_topology(strings.view(gang.topology.topology));
  }
  if (topology.valid()) {
    ResolvedLevels levels = resolve_levels(cluster.topologies()[topology], gang.topology, strings);
    level = levels.required >= 0 ? levels.required : levels.preferred;
  }
  if (level >= 0) {
    const TopologyTree& tree = context_.snapshot().trees()[topology];
    for (DomainId domain : home_domains(tree, own, level)) {
      std::span<const NodeId> inside = tree.nodes(domain);
      nodes.insert(nodes.end(), inside.begin(), inside.end());
    }
  } else {
    std::span<const NodeId> all = context_.snapshot().all_nodes().node_order();
    nodes.assign(all.begin(), all.end());
  }
  std::stable_partition(nodes.begin(), nodes.end(),
                        [&](NodeId node) { return !std::ranges::binary_search(own, node); });
  return nodes;
}

void SpareRoom::fill(GangId gang, PodClassId pod_class) {
  std::vector<NodeId> own = context_.placed_nodes(gang);
  std::vector<NodeId> nodes = nodes_for(gang);
  auto has_pods = [&](NodeId node) { return std::ranges::find(own, node) != own.end(); };
  size_t others = static_cast<size_t>(std::ranges::find_if(nodes, has_pods) - nodes.begin());
  std::vector<SlotFill>& held = held_[gang.value];
  FillRequest request{pod_class, context_.cluster().gangs()[gang].spares, FitMode::Now, {}};
  for (std::span<const NodeId> part : {std::span<const NodeId>(nodes).first(others),
                                       std::span<const NodeId>(nodes).subspan(others)}) {
    if (request.pods > 0) request.pods -= fill_nodes_with(context_, request, part, held);
  }
}

void SpareRoom::keep(GangId gang) {
  if (held_.contains(gang.value) || !context_.has_minimum(gang)) return;
  PodId pod = pattern(gang);
  if (!pod.valid()) return;
  PodClassId pod_class = context_.snapshot().key(pod).pod_class;
  // Room is kept in amounts; the parts of a device are chosen for a pod.
  if (context_.cluster().pod_classes()[pod_class].gpu_share.active()) return;
  fill(gang, pod_class);
  context_.statement().keep_spares();
  context_.statement().commit("allocate");
}

void SpareRoom::keep_all() {
  if (kept_) return;
  kept_ = true;
  for (GangId gang : by_name(context_.cluster(), context_.snapshot().spared_gangs())) keep(gang);
}

void SpareRoom::lend(GangId gang) {
  auto found = held_.find(gang.value);
  if (found == held_.end()) return;
  for (const SlotFill& fill : found->second) {
    context_.statement().free_spares(fill.pod_class, fill.node, fill.count);
  }
  held_.erase(found);
  context_.statement().commit("allocate");
}

std::vector<GangId> SpareRoom::gangs_that_lost_pods() const {
  std::vector<GangId> lost;
  for (GangId gang : by_name(context_.cluster(), context_.snapshot().spared_gangs())) {
    const GangCounts& counts = context_.snapshot().gang_counts()[gang];
    bool runs = counts.placed > 0 && counts.waiting > 0;
    if (runs && !context_.has_minimum(gang)) lost.push_back(gang);
  }
  return lost;
}

}  // namespace trellis
