#include "session/placement/near_miss.h"

#include <algorithm>

#include "framework/topology_levels.h"
#include "session/placement/gang_rows.h"

namespace trellis {
namespace {

// Where a gang with a constraint would be bound to: the domain of its required level (no required
// level: of none) that can take most of the pods; of those where it runs already, if it does.
struct NearestDomain {
  TopologyId topology;
  DomainId domain;
  int64_t count = 0;
};

NearestDomain nearest_domain(Session& session, const TopologyConstraint& constraint,
                             PodClassId pod_class, std::span<const NodeId> placed) {
  NearestDomain nearest;
  const Cluster& cluster = session.cluster();
  const StringTable& strings = cluster.vocabulary().strings;
  if (!constraint.topology.valid()) return nearest;
  TopologyId id = cluster.find_topology(strings.view(constraint.topology));
  if (!id.valid()) return nearest;
  ResolvedLevels levels = resolve_levels(cluster.topologies()[id], constraint, strings);
  const TopologyTree& tree = session.snapshot().trees()[id];
  const DomainCounts& counts = session.fits().domain_counts(id, pod_class, FitMode::Future);
  IdRange range = tree.level(levels.required);
  std::vector<DomainId> bound;
  for (NodeId node : placed) {
    DomainId domain = tree.ancestor(tree.domain_of(node), levels.required);
    if (domain.valid()) bound.push_back(domain);
  }
  std::sort(bound.begin(), bound.end());
  bound.erase(std::unique(bound.begin(), bound.end()), bound.end());
  nearest.topology = id;
  for (uint32_t i = range.first; i < range.last; ++i) {
    bool open = bound.empty() || std::find(bound.begin(), bound.end(), DomainId(i)) != bound.end();
    if (!open || (nearest.domain.valid() && counts[DomainId(i)] <= nearest.count)) continue;
    nearest.domain = DomainId(i);
    nearest.count = counts[DomainId(i)];
  }
  return nearest;
}

NodeVerdict short_resource(Session& session, PodClassId pod_class, FitMode mode, NodeId node) {
  const auto& columns = session.snapshot().state().columns(mode);
  NodeVerdict verdict;
  for (const ResourceAmount& item : session.cluster().pod_classes()[pod_class].requests.items()) {
    if (columns[item.resource][node] >= item.amount) continue;
    bool first = verdict.code == ReasonCode::None;
    if (!first && !ResourceTable::is_gpu(item.resource)) continue;
    bool pods = item.resource == kPods;
    verdict = {pods ? ReasonCode::TooManyPods : ReasonCode::InsufficientResource,
               pods ? ResourceId() : item.resource,
               {}};
    if (ResourceTable::is_gpu(item.resource)) break;
  }
  return verdict;
}

}  // namespace

NodeVerdict node_verdict(Session& session, PodClassId pod_class, FitMode mode, NodeId node) {
  NodeClassId node_class = session.snapshot().node_classes().of_node()[node];
  for (const auto& filter : session.hooks().class_filters) {
    ReasonCode code = filter.point->verdict(pod_class, node_class);
    if (code != ReasonCode::None) return {code, ResourceId(), filter.plugin};
  }
  NodeVerdict verdict = short_resource(session, pod_class, mode, node);
  if (verdict.code != ReasonCode::None) return verdict;
  for (const auto& counter : session.hooks().node_counters) {
    if (!counter.point->applies(pod_class)) continue;
    ReasonCode code = counter.point->refusal(pod_class, mode, node);
    if (code != ReasonCode::None) return {code, ResourceId(), counter.plugin};
  }
  return {};
}

Reason no_fit_reason(Session& session, GangId gang, int64_t needed, ReasonCode code) {
  const Cluster& cluster = session.cluster();
  const TopologyConstraint& constraint = cluster.gangs()[gang].topology;
  Reason reason;
  reason.code = code;
  reason.needed = needed;
  reason.nodes = static_cast<int64_t>(session.snapshot().all_nodes().node_order().size());
  std::vector<PodId> pods = session.waiting_pods(gang);
  if (pods.empty()) return reason;
  // Of pods that differ, the class that the cluster can take fewest of speaks for the gang.
  PodClassId hardest = cluster.pods()[pods.front()].pod_class;
  for (const RowPods& row : group_rows(session.snapshot(), pods)) {
    if (session.fits().total(row.pod_class, FitMode::Future) <
        session.fits().total(hardest, FitMode::Future)) {
      hardest = row.pod_class;
    }
  }
  NearestDomain nearest;
  if (code != ReasonCode::NodesNoFit) {
    nearest = nearest_domain(session, constraint, hardest, session.placed_nodes(gang));
  }
  if (nearest.topology.valid()) {
    const Topology& topology = cluster.topologies()[nearest.topology];
    const StringTable& strings = cluster.vocabulary().strings;
    const TopologyTree& tree = session.snapshot().trees()[nearest.topology];
    reason.plugin = "topology";
    reason.topology = topology.name;
    reason.found = nearest.count;
    if (nearest.domain.valid() && tree.level_of(nearest.domain) >= 0) {
      size_t level = static_cast<size_t>(tree.level_of(nearest.domain));
      reason.level = strings.view(topology.levels[level].label);
      for (StrId value : tree.path(nearest.domain)) reason.domain.emplace_back(strings.view(value));
    }
  } else {
    reason.found = session.fits().total(hardest, FitMode::Future);
  }
  reason.verdicts =
      session.verdict_counts().of(session, hardest, nearest.topology, nearest.domain);
  return reason;
}

}  // namespace trellis
