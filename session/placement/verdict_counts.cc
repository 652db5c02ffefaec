#include "session/placement/verdict_counts.h"

#include <algorithm>

#include "session/placement/near_miss.h"

namespace trellis {
namespace {

std::vector<VerdictCount> count_verdicts(PlacementContext& context, PodClassId pod_class,
                                         TopologyId topology, DomainId domain) {
  const auto& fits = context.fits().node_fits(pod_class, FitMode::Future);
  const bool linked = !context.fits().exact(pod_class);
  const TopologyTree* tree = domain.valid() ? &context.snapshot().tree(topology) : nullptr;
  IdRange inside = tree != nullptr ? tree->node_range(domain) : IdRange();
  std::vector<VerdictCount> counts;
  for (NodeId node : context.snapshot().all_nodes().node_order()) {
    NodeVerdict verdict;
    if (fits[node] == 0 || linked) {
      verdict = node_verdict(context, pod_class, FitMode::Future, node);
    }
    if (verdict.code == ReasonCode::None && tree != nullptr) {
      uint32_t position = tree->position(node);
      if (position >= inside.first && position < inside.last) continue;
      verdict = {ReasonCode::OutsideDomain, ResourceId(), "topology"};
    }
    if (verdict.code == ReasonCode::None) continue;
    auto same = std::find_if(counts.begin(), counts.end(), [&](const VerdictCount& count) {
      return count.code == verdict.code && count.resource == verdict.resource;
    });
    if (same == counts.end()) {
      counts.push_back({verdict.code, verdict.resource, verdict.plugin, 0, node});
      same = counts.end() - 1;
    }
    ++same->nodes;
  }
  const ResourceTable& resources = context.cluster().vocabulary().resources;
  std::sort(counts.begin(), counts.end(), [&](const VerdictCount& a, const VerdictCount& b) {
    if (a.nodes != b.nodes) return a.nodes > b.nodes;
    if (a.code != b.code) return a.code < b.code;
    return a.resource.valid() && b.resource.valid() &&
           resources.name(a.resource) < resources.name(b.resource);
  });
  std::span<const NodeId> open = context.snapshot().all_nodes().node_order();
  if (tree != nullptr) open = tree->nodes(domain);
  VerdictCount limited = limited_nodes(context, pod_class, FitMode::Future, open);
  if (limited.nodes > 0) counts.push_back(limited);
  return counts;
}

}  // namespace

const std::vector<VerdictCount>& VerdictCounts::of(PlacementContext& context, PodClassId pod_class,
                                                   TopologyId topology, DomainId domain) {
  uint64_t now = context.snapshot().changes().end();
  if (read_to_ != now) kept_.clear();
  read_to_ = now;
  auto [entry, is_new] = kept_.try_emplace(Key(pod_class, topology, domain));
  if (is_new) {
    ++passes_;
    entry->second = count_verdicts(context, pod_class, topology, domain);
  }
  return entry->second;
}

}  // namespace trellis
