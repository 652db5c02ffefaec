#include "session/explain/demand_stand.h"

#include <algorithm>
#include <map>

#include "framework/topology_levels.h"
#include "session/placement/pod_rows.h"

namespace trellis {
namespace {

// Whether a pod of subgroup `leaf` is of the part.
bool is_of(const Gang& gang, const DemandPart& part, StrId leaf) {
  if (!part.subgroup.valid()) return true;
  int32_t at = -1;
  for (size_t i = 0; i < gang.subgroups.size(); ++i) {
    if (gang.subgroups[i].name == leaf) at = static_cast<int32_t>(i);
  }
  for (; at >= 0; at = gang.subgroups[static_cast<size_t>(at)].parent) {
    if (gang.subgroups[static_cast<size_t>(at)].name == part.subgroup) return true;
  }
  return false;
}

class StandFinder {
 public:
  StandFinder(Session& session, const CycleRecord& record, GangId gang,
              const DemandExplanation& explanation, uint32_t part)
      : session_(session),
        cluster_(session.cluster()),
        record_(record),
        gang_(gang),
        explanation_(explanation),
        part_(explanation.parts[part]) {
    stand_.part = part;
  }

  // A result with no pods: no pod of the part has a node.
  PartStand find() {
    find_nodes();
    if (stand_.pods == 0) return stand_;
    find_domain();
    stand_.why = reason();
    return stand_;
  }

 private:
  void find_nodes() {
    const Gang& gang = cluster_.gangs()[gang_];
    std::map<std::string_view, NodePods> nodes;
    for (PodId pod : cluster_.pods_of(gang_)) {
      const PodOutcome& outcome = record_.pods[pod];
      if (!will_remain(outcome.status) || !outcome.node.valid()) continue;
      if (!is_of(gang, part_, cluster_.pods()[pod].pod.subgroup)) continue;
      NodePods& node = nodes[cluster_.nodes()[outcome.node].name];
      node.node = outcome.node;
      ++node.pods;
      ++stand_.pods;
      decided_ += outcome.action.empty() ? 0 : 1;
    }
    for (const auto& [name, node] : nodes) stand_.nodes.push_back(node);
  }

  std::vector<DomainId> domains_at(const TopologyTree& tree, int level) const {
    std::vector<DomainId> domains;
    for (const NodePods& node : stand_.nodes) {
      DomainId domain;
      if (tree.contains(node.node)) domain = tree.ancestor(tree.domain_of(node.node), level);
      domains.push_back(domain);
    }
    std::sort(domains.begin(), domains.end());
    domains.erase(std::unique(domains.begin(), domains.end()), domains.end());
    return domains;
  }

  void find_domain() {
    const StringTable& strings = cluster_.vocabulary().strings;
    if (!part_.topology.topology.valid()) return;
    TopologyId topology = cluster_.find_topology(strings.view(part_.topology.topology));
    if (!topology.valid()) return;
    ResolvedLevels levels =
        resolve_levels(cluster_.topologies()[topology], part_.topology, strings);
    if (levels.error != ReasonCode::None) return;
    stand_.level = std::max(levels.preferred, levels.required);
    const TopologyTree& tree = session_.snapshot().tree(topology);
    for (int level = stand_.level; level >= -1; --level) {
      std::vector<DomainId> domains = domains_at(tree, level);
      if (level == stand_.level) stand_.used = static_cast<int64_t>(domains.size());
      if (domains.size() != 1 || !domains.front().valid()) continue;
      stand_.domain = {topology, domains.front()};
      return;
    }
  }

  // Compares the candidates of the level that is requested.
  StandReason among_candidates() {
    const TopologyTree& tree = session_.snapshot().tree(stand_.domain.topology);
    int64_t least = INT64_MAX;
    int64_t most = 0;
    int64_t own = -1;
    for (const DomainJudgement& judgement : explanation_.domains) {
      bool of_level = judgement.part == stand_.part &&
                      judgement.domain.topology == stand_.domain.topology &&
                      tree.level_of(judgement.domain.domain) == stand_.level;
      if (!of_level) continue;
      ++stand_.domains;
      int64_t pods = judgement.allocatable_pods;
      if (!stand_.best.domain.valid() || pods > stand_.most) {
        stand_.best = judgement.domain;
        stand_.most = pods;
      }
      if (!judgement.fits) continue;
      ++stand_.able;
      least = std::min(least, pods);
      most = std::max(most, pods);
      if (judgement.domain == stand_.domain) own = pods;
    }
    if (tree.level_of(stand_.domain.domain) != stand_.level) return StandReason::Divided;
    if (stand_.able <= 1) return StandReason::OnlyOne;
    bool spread = session_.config().placement_strategy.domain == Strategy::Spread;
    if (spread && own == most) return StandReason::MostRoom;
    return !spread && own == least ? StandReason::LeastRoom : StandReason::OneOfSeveral;
  }

  StandReason reason() {
    if (decided_ == 0) return StandReason::Stays;
    PodDivider* divider = session_.hooks().pod_divider;
    bool divided = divider != nullptr && divider->divides(part_.rows.front().pod_class);
    if (stand_.level < 0 || !stand_.domain.topology.valid()) {
      return divided ? StandReason::Preferences : StandReason::Scores;
    }
    if (!part_.placed.empty()) return StandReason::Joins;
    return among_candidates();
  }

  Session& session_;
  const Cluster& cluster_;
  const CycleRecord& record_;
  GangId gang_;
  const DemandExplanation& explanation_;
  const DemandPart& part_;
  PartStand stand_;
  int64_t decided_ = 0;  // pods that this cycle placed
};

}  // namespace

std::vector<PartStand> where_it_stands(Session& session, const CycleRecord& record, GangId gang,
                                       const DemandExplanation& explanation) {
  std::vector<PartStand> stands;
  for (uint32_t part = 0; part < explanation.parts.size(); ++part) {
    PartStand stand = StandFinder(session, record, gang, explanation, part).find();
    if (stand.pods > 0) stands.push_back(std::move(stand));
  }
  return stands;
}

std::vector<PlacementGroups> placement_groups(Session& session, GangId gang) {
  std::vector<PlacementGroups> made;
  PodDivider* divider = session.hooks().pod_divider;
  if (divider == nullptr) return made;
  for (const RowPods& row : group_rows(session.snapshot(), session.waiting_pods(gang))) {
    made.push_back({row.pod_class, static_cast<int64_t>(row.pods.size()), {}});
  }
  if (made.empty()) {
    std::vector<PodId> pods = session.ranked_pods(gang);
    if (!pods.empty()) made.push_back({session.snapshot().key(pods.front()).pod_class, 0, {}});
  }
  std::erase_if(made, [&](const PlacementGroups& one) { return !divider->divides(one.pod_class); });
  for (PlacementGroups& one : made) {
    one.groups =
        divider->explain({.pod_class = one.pod_class, .pods = one.pods, .now = session.now()});
  }
  return made;
}

}  // namespace trellis
