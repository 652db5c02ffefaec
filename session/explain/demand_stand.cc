#include "session/explain/demand_stand.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string_view>
#include <utility>

#include "session/placement/placement_unit.h"
#include "session/record/outcomes.h"
#include "topology/tree.h"

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

// Where pods are, before it is known why.
struct Placed {
  PartStand stand;               // its pods, and their nodes
  std::vector<DomainId> leaves;  // of a workload; empty: those of the nodes
  std::vector<GangRow> all;      // its pods that have no node without this cycle's decisions
  bool decided = false;          // by this cycle, at least for some of the pods
  bool joins = false;            // pods that were there before
};

class StandFinder {
 public:
  StandFinder(Session& session, const DemandExplanation& explanation, Placed placed)
      : session_(session),
        explanation_(explanation),
        placed_(std::move(placed)),
        stand_(placed_.stand),
        part_(*stand_.part) {}

  PartStand find() {
    find_domain();
    stand_.why = reason();
    if (placed_.decided && !placed_.joins) stand_.chosen_by = who_chose();
    return stand_;
  }

 private:
  bool is_workload() const { return !stand_.pod_sets.empty(); }

  std::vector<DomainId> domains_at(const TopologyTree& tree, int level) const {
    std::vector<DomainId> domains;
    for (DomainId leaf : placed_.leaves) {
      domains.push_back(leaf.valid() ? tree.ancestor(leaf, level) : leaf);
    }
    std::sort(domains.begin(), domains.end());
    domains.erase(std::unique(domains.begin(), domains.end()), domains.end());
    return domains;
  }

  void find_domain() {
    PartLevels levels = levels_of(session_.cluster(), part_.topology);
    TopologyId topology = levels.topology;
    if (!topology.valid()) return;
    stand_.level = std::max(levels.preferred, levels.required);
    const TopologyTree& tree = session_.snapshot().tree(topology);
    for (const NodePods& node : stand_.nodes) {
      if (is_workload()) break;
      bool inside = tree.contains(node.node);
      placed_.leaves.push_back(inside ? tree.domain_of(node.node) : DomainId());
    }
    for (int level = stand_.level; level >= -1; --level) {
      std::vector<DomainId> domains = domains_at(tree, level);
      if (level == stand_.level) stand_.used = static_cast<int64_t>(domains.size());
      if (domains.size() != 1 || !domains.front().valid()) continue;
      stand_.domain = {topology, domains.front()};
      return;
    }
  }

  // Asks as the search does, which looks for a domain of all pods first.
  ChosenBy who_chose() {
    FeasibleNodes* feasible = session_.hooks().feasible_nodes;
    for (const GangRow& row : placed_.all) stand_.all_pods += row.count;
    bool counted = part_.segments.empty() || placed_.all.size() == 1;
    bool more = stand_.all_pods > part_.pods();
    if (!more || !counted || feasible == nullptr || !stand_.domain.topology.valid()) {
      return ChosenBy::NotAsked;
    }
    stand_.required_level = levels_of(session_.cluster(), part_.topology).required;
    GroupQuery query;
    query.constraint = &part_.topology;
    query.segments = part_.segments;
    query.rows = placed_.all;
    query.mode = FitMode::Now;
    query.divided = false;
    std::unique_ptr<NodeGroups> groups = feasible->groups(query, nullptr);
    NodeGroup all;
    if (groups == nullptr || !groups->next(all)) return ChosenBy::Minimum;
    const TopologyTree& tree = session_.snapshot().tree(all.topology);
    bool inside = covers(tree, all.domain, stand_.domain.domain);
    return inside ? ChosenBy::All : ChosenBy::MinimumHere;
  }

  // Compares the candidates of the level that is requested.
  StandReason among_candidates(bool divided) {
    const TopologyTree& tree = session_.snapshot().tree(stand_.domain.topology);
    int64_t least = INT64_MAX;
    int64_t most = 0;
    int64_t own = -1;
    for (const DomainJudgement& judgement : explanation_.domains) {
      bool of_level = &explanation_.part_of(judgement) == stand_.part &&
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
    if (tree.level_of(stand_.domain.domain) != stand_.level) {
      return divided && stand_.able > 0 ? StandReason::Preferences : StandReason::Divided;
    }
    if (stand_.able <= 1) return StandReason::OnlyOne;
    Strategy strategy = session_.config().placement_strategy.domain;
    bool spread = !is_workload() && strategy == Strategy::Spread;
    if (spread && own == most) return StandReason::MostRoom;
    return !spread && own == least ? StandReason::LeastRoom : StandReason::OneOfSeveral;
  }

  StandReason reason() {
    if (!placed_.decided) return StandReason::Stays;
    PodDivider* divider = session_.hooks().pod_divider;
    bool divided = divider != nullptr && divider->divides(part_.rows.front().pod_class);
    if (stand_.level < 0 || !stand_.domain.topology.valid()) {
      if (divided) return StandReason::Preferences;
      return is_workload() ? StandReason::Open : StandReason::Scores;
    }
    return placed_.joins ? StandReason::Joins : among_candidates(divided);
  }

  Session& session_;
  const DemandExplanation& explanation_;
  Placed placed_;
  PartStand& stand_;
  const DemandPart& part_;
};

void set_nodes(const std::map<std::string_view, NodePods>& nodes, PartStand& stand) {
  for (const auto& [name, node] : nodes) stand.nodes.push_back(node);
}

Placed placed_of(const Session& session, const CycleRecord& record, GangId id,
                 const DemandPart& part) {
  const Cluster& cluster = session.cluster();
  const Gang& gang = cluster.gangs()[id];
  Placed placed;
  placed.stand.part = &part;
  placed.joins = !part.placed.empty();
  std::map<std::string_view, NodePods> nodes;
  for (PodId pod : cluster.pods_of(id)) {
    const PodOutcome& outcome = record.pods[pod];
    if (!is_of(gang, part, cluster.pods()[pod].pod.subgroup)) continue;
    if (session.snapshot().pod(pod).status == PodStatus::Pending) {
      add_to_rows(session.snapshot().key(pod).pod_class, 1, placed.all);
    }
    if (!will_remain(outcome.status) || !outcome.node.valid()) continue;
    NodePods& node = nodes[cluster.nodes()[outcome.node].name];
    node.node = outcome.node;
    ++node.pods;
    ++placed.stand.pods;
    placed.decided = placed.decided || !outcome.action.empty();
  }
  set_nodes(nodes, placed.stand);
  return placed;
}

// The places of a party of PodSets in a flavor; no pods: it is not admitted to domains of the
// flavor.
Placed placed_of(const Session& session, const Workload& workload, const Admission& admission,
                 const PartyExplanation& party, const FlavorExplanation& flavor) {
  const Cluster& cluster = session.cluster();
  const WorkloadLedger& ledger = session.snapshot().workloads();
  TopologyId topology = flavor.room->unit.workers.topology;
  Placed placed;
  placed.stand.part = &flavor.room->demand.parts.front();
  std::map<std::string_view, NodePods> nodes;
  for (uint32_t index : party.pod_sets) {
    if (index >= admission.pod_sets.size()) return {};
    const PodSetAdmission& set = admission.pod_sets[index];
    if (!set.topology || ledger.placed_flavor(cluster, set) != flavor.flavor) return {};
    placed.stand.pod_sets.push_back(workload.pod_sets[index].name);
    std::vector<DomainId> leaves = assigned_leaves(session, topology, *set.topology);
    for (size_t i = 0; i < leaves.size(); ++i) {
      int32_t pods = set.topology->counts[i];
      placed.stand.pods += pods;
      placed.leaves.push_back(leaves[i]);
      if (!leaves[i].valid() || !is_node(session, {topology, leaves[i]})) continue;
      NodeId node = nodes_of(session, {topology, leaves[i]}).front();
      NodePods& on_node = nodes[cluster.nodes()[node].name];
      on_node.node = node;
      on_node.pods += pods;
    }
  }
  set_nodes(nodes, placed.stand);
  return placed;
}

}  // namespace

std::vector<PartStand> where_it_stands(Session& session, const CycleRecord& record, GangId gang,
                                       const DemandExplanation& explanation) {
  std::vector<PartStand> stands;
  for (const DemandPart& part : explanation.parts) {
    Placed placed = placed_of(session, record, gang, part);
    if (placed.stand.pods == 0) continue;
    stands.push_back(StandFinder(session, explanation, std::move(placed)).find());
  }
  return stands;
}

std::vector<PartStand> where_it_stands(Session& session, const CycleRecord& record, WorkloadId id,
                                       const WorkloadExplanation& explanation) {
  std::vector<PartStand> stands;
  const Admission* admission = admission_of(session.cluster(), record, id);
  if (admission == nullptr) return stands;
  for (const PartyExplanation& party : explanation.parties) {
    for (const FlavorExplanation& flavor : party.flavors) {
      if (!flavor.room || flavor.room->demand.parts.empty()) continue;
      const Workload& workload = session.cluster().workloads()[id];
      Placed placed = placed_of(session, workload, *admission, party, flavor);
      // With fewer pods other domains would have done than those that are judged.
      bool whole = placed.stand.pods > 0 && placed.stand.pods == placed.stand.part->pods();
      if (!whole) continue;
      placed.decided = record.workloads[id].admission != nullptr;
      placed.joins = workload.admission.has_value();
      stands.push_back(StandFinder(session, flavor.room->demand, std::move(placed)).find());
    }
  }
  return stands;
}

std::vector<DomainId> assigned_leaves(const Session& session, TopologyId topology,
                                      const TopologyAssignment& assignment) {
  const Cluster& cluster = session.cluster();
  std::vector<DomainId> leaves(assignment.size());
  size_t width = assignment.levels.size();
  for (size_t i = 0; i < leaves.size() && topology.valid(); ++i) {
    leaves[i] = session.snapshot().workloads().slots().find(
        session.snapshot().trees()[topology], topology, cluster.topologies()[topology],
        cluster.vocabulary().strings, assignment.levels,
        std::span(assignment.values).subspan(i * width, width));
  }
  return leaves;
}

}  // namespace trellis
