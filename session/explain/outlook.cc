#include "session/explain/outlook.h"

#include <algorithm>

#include "framework/topology_levels.h"
#include "session/explain/empty_nodes.h"

namespace trellis {
namespace {

// How many of the part's pods each domain takes; pods that differ are judged by those that fit
// least often, as in a judgement.
class PartCounts {
 public:
  PartCounts(Session& session, TopologyId topology, const GangPart& part) {
    for (const AskedRow& row : part.rows) {
      counts_.push_back(&session.fits().domain_counts(topology, row.pod_class, FitMode::Now));
      asked_.push_back(row.pods);
    }
  }

  bool takes(DomainId domain) const {
    for (size_t i = 0; i < counts_.size(); ++i) {
      if ((*counts_[i])[domain] < asked_[i]) return false;
    }
    return true;
  }
  int64_t first(DomainId domain) const { return (*counts_.front())[domain]; }

 private:
  std::vector<const DomainCounts*> counts_;
  std::vector<int64_t> asked_;
};

void look_above(const TopologyTree& tree, const PartCounts& counts, int required,
                PartOutlook& outlook) {
  outlook.anywhere = counts.takes(tree.root());
  for (int level = required - 1; level >= 0 && !outlook.above.domain.valid(); --level) {
    IdRange domains = tree.level(level);
    for (uint32_t id = domains.first; id < domains.last; ++id) {
      DomainId domain(id);
      if (!counts.takes(domain)) continue;
      if (outlook.above.domain.valid() && counts.first(domain) <= outlook.above_pods) continue;
      outlook.above.domain = domain;
      outlook.above_pods = counts.first(domain);
      outlook.levels_up = required - level;
    }
  }
}

}  // namespace

std::optional<PartOutlook> outlook_of(Session& session, const GangExplanation& explanation,
                                      uint32_t index) {
  const GangPart& part = explanation.parts[index];
  const Cluster& cluster = session.cluster();
  const StringTable& strings = cluster.vocabulary().strings;
  if (!part.topology.topology.valid() || !part.placed.empty()) return std::nullopt;
  TopologyId topology = cluster.find_topology(strings.view(part.topology.topology));
  if (!topology.valid()) return std::nullopt;
  ResolvedLevels levels = resolve_levels(cluster.topologies()[topology], part.topology, strings);
  if (levels.error != ReasonCode::None || levels.required < 0) return std::nullopt;
  for (const DomainJudgement& judgement : explanation.domains) {
    if (judgement.part == index && judgement.fits) return std::nullopt;
  }
  const TopologyTree& tree = session.snapshot().tree(topology);
  PartOutlook outlook;
  outlook.needed = part.rows.front().pods;
  outlook.largest.topology = outlook.above.topology = topology;
  EmptyNodes empty(session, part.rows.front().pod_class);
  int64_t best = 0;  // that a node takes
  IdRange domains = tree.level(levels.required);
  for (uint32_t id = domains.first; id < domains.last; ++id) {
    std::span<const NodeId> nodes = tree.nodes(DomainId(id));
    auto size = static_cast<int64_t>(nodes.size());
    if (size > outlook.largest_nodes) outlook.largest.domain = DomainId(id);
    outlook.largest_nodes = std::max(outlook.largest_nodes, size);
    int64_t pods = 0;
    for (NodeId node : nodes) {
      int64_t fit = empty.fit(node);
      pods += fit;
      best = std::max(best, fit);
    }
    outlook.if_empty = std::max(outlook.if_empty, pods);
  }
  outlook.at_most = outlook.largest_nodes * best;
  look_above(tree, PartCounts(session, topology, part), levels.required, outlook);
  return outlook;
}

}  // namespace trellis
