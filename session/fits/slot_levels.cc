#include "session/fits/slot_levels.h"

#include <algorithm>

namespace trellis {
namespace {

bool asks_for(const PodSpec& spec, StrId label) {
  auto in_term = [&](const SelectorTerm& term) {
    return std::ranges::any_of(term.labels, [&](const Requirement& wanted) {
      return wanted.key == label && wanted.op == SelectorOp::Exists;
    });
  };
  return !spec.required_affinity.empty() && std::ranges::all_of(spec.required_affinity, in_term);
}

}  // namespace

std::vector<StrId> slot_levels(const Cluster& cluster, const PodSpec& spec) {
  std::vector<StrId> labels;
  if (!spec.has_required_affinity) return labels;
  const StringTable& strings = cluster.vocabulary().strings;
  for (const Flavor& flavor : cluster.workloads().flavors().all()) {
    if (!flavor.topology.valid()) continue;
    TopologyId topology = cluster.find_topology(strings.view(*flavor.topology));
    if (!topology.valid()) continue;
    const std::vector<TopologyLevel>& levels = cluster.topologies()[topology].levels;
    bool all = std::ranges::all_of(
        levels, [&](const TopologyLevel& level) { return asks_for(spec, level.label); });
    if (!all) continue;
    for (const TopologyLevel& level : levels) labels.push_back(level.label);
  }
  return labels;
}

}  // namespace trellis
