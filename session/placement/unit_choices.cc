#include "session/placement/unit_choices.h"

#include <algorithm>

#include "session/placement/node_filling.h"

namespace trellis {
namespace {

// The number of domains of a level that are examined to find one with fewer domains below it.
constexpr size_t kMostGroups = 64;
constexpr size_t kFewGroups = 8;

}  // namespace

bool no_worse(const UnitPlace& a, const UnitPlace& b) {
  for (size_t level = 0; level < a.domains.size(); ++level) {
    if (a.domains[level] > b.domains[level]) return false;
  }
  return true;
}

bool UnitChoices::gate(const char* name, bool otherwise) const {
  const auto& gates = context_.config().kueue_feature_gates;
  auto found = gates.find(name);
  return is_kueue() && found != gates.end() ? found->second : otherwise;
}

bool UnitChoices::is_kueue() const {
  return context_.config().placement_profile == PlacementProfile::Kueue;
}

std::vector<UnitPlace> UnitChoices::find(const WorkloadUnit& unit, FitMode mode, size_t most,
                                         DomainId within) {
  within_ = within;
  std::vector<UnitPlace> places;
  if (!has_room(unit, mode)) return places;
  UnitPlace kueue;
  bool answered = (is_kueue() || follows_request(unit)) && kueue_place(unit, mode, kueue);
  if (answered) places.push_back(kueue);
  if (is_kueue() || (answered && unit.balanced && most == 1)) return places;
  if (answered && most == 1 && is_optimal(unit, mode, kueue)) return places;
  own_places(unit, mode, std::max(most, kFewGroups), places);
  // Places that are worse than Kueue's on some level are only for a search that comes back.
  auto rank = [&](const UnitPlace& place) { return answered && !no_worse(place, kueue) ? 1 : 0; };
  std::stable_sort(places.begin(), places.end(), [&](const UnitPlace& a, const UnitPlace& b) {
    if (rank(a) != rank(b)) return rank(a) < rank(b);
    return a.domains < b.domains;
  });
  if (places.size() > most) places.resize(most);
  return places;
}

// Whether so many pods would fit one by one. Kueue's own answer may drop some, or sum over nodes.
bool UnitChoices::has_room(const WorkloadUnit& unit, FitMode mode) const {
  if (is_kueue()) return true;
  const TopologyTree& tree = context_.snapshot().trees()[unit.workers.topology];
  const DomainCounts& pods =
      context_.fits().domain_counts(unit.workers.topology, unit.workers.pod_class, mode);
  return pods[within_.valid() ? within_ : tree.root()] >= unit.workers.count;
}

std::optional<UnitPlace> UnitChoices::find_kueues(const WorkloadUnit& unit, FitMode mode) {
  within_ = DomainId();
  UnitPlace place;
  if (!follows_request(unit) || !kueue_place(unit, mode, place)) return std::nullopt;
  return place;
}

// Kueue drops the pods of a partial segment, and ignores terms between pods.
bool UnitChoices::follows_request(const WorkloadUnit& unit) const {
  const FitCache& fits = context_.fits();
  if (!fits.exact(unit.workers.pod_class)) return false;
  if (unit.leader && !fits.exact(unit.leader->pod_class)) return false;
  return unit.segments.empty() || unit.workers.count % unit.segments.front().size == 0;
}

bool UnitChoices::kueue_place(const WorkloadUnit& unit, FitMode mode, UnitPlace& place) {
  TopologyId topology = unit.workers.topology;
  const TopologyTree& tree = context_.snapshot().trees()[topology];
  bool summed = is_kueue() && !ends_in_nodes(context_.cluster(), topology);
  if (summed) sums_ = summed_counts(context_, unit.workers, mode);
  const DomainCounts& pods =
      summed ? *sums_ : context_.fits().domain_counts(topology, unit.workers.pod_class, mode);
  KueueLeaves leaves{.pods = pods, .leaders = {}, .beside = {}, .affinity = {}, .within = within_};
  if (unit.leader) {
    columns_.load_leader(context_, unit, mode);
    leaves.leaders = columns_.leader_fits();
    leaves.beside = columns_.beside();
  }
  if (gate("TASRespectNodeAffinityPreferred", false)) {
    columns_.load_affinity(context_, unit.workers);
    leaves.affinity = columns_.affinity();
  }
  KueueRequest request{.mode = unit.mode,
                       .level = unit.level,
                       .pods = unit.workers.count,
                       .segments = unit.segments,
                       .gates = {.balanced = gate("TASBalancedPlacement", unit.balanced),
                                 .mixed = gate("TASProfileMixed", true)}};
  const KueueAnswer& answer = placer_.place(tree, request, leaves);
  if (!answer.placed) return false;
  for (const DomainPods& part : answer.workers) {
    place.leaves.push_back({part.domain, static_cast<int32_t>(part.pods), 0});
  }
  if (unit.leader) add_leader(answer.leader, place);
  return spread_over_nodes(unit, mode, place);
}

void UnitChoices::add_leader(DomainId leaf, UnitPlace& place) const {
  auto at = std::lower_bound(
      place.leaves.begin(), place.leaves.end(), leaf,
      [](const LeafCounts& counts, DomainId domain) { return counts.leaf < domain; });
  if (at == place.leaves.end() || at->leaf != leaf) at = place.leaves.insert(at, {leaf, 0, 0});
  at->leaders = 1;
}

// Distributes the pods of leaves over nodes. In profile `kueue` pods that do not fit on nodes,
// because only sums were compared, are in the leaf alone.
bool UnitChoices::spread_over_nodes(const WorkloadUnit& unit, FitMode mode, UnitPlace& place) {
  const TopologyTree& tree = context_.snapshot().trees()[unit.workers.topology];
  Statement& statement = context_.statement();
  Statement::Checkpoint start = statement.checkpoint();
  bool whole = true;
  for (const LeafCounts& counts : place.leaves) {
    std::span<const NodeId> nodes = tree.nodes(counts.leaf);
    if (nodes.size() == 1) {
      NodeId node = nodes.front();
      if (counts.leaders > 0)
        place.leaders.push_back({unit.leader->pod_class, node, counts.leaders});
      if (counts.workers > 0) {
        place.workers.push_back({unit.workers.pod_class, node, counts.workers});
      }
      continue;
    }
    if (counts.leaders > 0) {
      FillRequest leader{unit.leader->pod_class, counts.leaders, mode, unit.workers.pod_class};
      whole = fill_nodes_with(context_, leader, nodes, place.leaders) == counts.leaders && whole;
    }
    if (counts.workers > 0) {
      FillRequest workers{unit.workers.pod_class, counts.workers, mode, {}};
      whole = fill_nodes_with(context_, workers, nodes, place.workers) == counts.workers && whole;
    }
  }
  statement.rollback(start);
  count_domains(tree, place);
  return whole || is_kueue();
}

void UnitChoices::count_domains(const TopologyTree& tree, UnitPlace& place) const {
  place.domains.assign(static_cast<size_t>(tree.level_count()), 0);
  for (int level = 0; level < tree.level_count(); ++level) {
    DomainId last;
    for (const LeafCounts& counts : place.leaves) {
      DomainId domain = tree.ancestor(counts.leaf, level);
      place.domains[static_cast<size_t>(level)] += domain != last ? 1 : 0;
      last = domain;
    }
  }
}

bool UnitChoices::is_optimal(const WorkloadUnit& unit, FitMode mode, const UnitPlace& place) {
  const TopologyTree& tree = context_.snapshot().trees()[unit.workers.topology];
  const DomainCounts& pods =
      context_.fits().domain_counts(unit.workers.topology, unit.workers.pod_class, mode);
  for (int level = 0; level < tree.level_count(); ++level) {
    int64_t most = std::max<int64_t>(pods.level_bound(tree, level), 1);
    int64_t least = std::max<int64_t>(1, (unit.workers.count + most - 1) / most);
    if (place.domains[static_cast<size_t>(level)] > least) return false;
  }
  return true;
}

TopologyConstraint UnitChoices::constraint(const WorkloadUnit& unit) const {
  const Cluster& cluster = context_.cluster();
  const Topology& topology = cluster.topologies()[unit.workers.topology];
  TopologyConstraint constraint;
  constraint.topology = cluster.vocabulary().strings.find(topology.name);
  bool lowest = unit.mode == KueueMode::Unconstrained;
  StrId label = lowest ? topology.levels.back().label
                       : topology.levels[static_cast<size_t>(unit.level)].label;
  (unit.mode == KueueMode::Required ? constraint.required : constraint.preferred) = label;
  return constraint;
}

// Trellis' own places: domains as the topology plugin orders them, filled with the fewest nodes.
void UnitChoices::own_places(const WorkloadUnit& unit, FitMode mode, size_t most,
                             std::vector<UnitPlace>& places) {
  FeasibleNodes* feasible = context_.hooks().feasible_nodes;
  if (feasible == nullptr) return;
  TopologyConstraint asked = constraint(unit);
  std::vector<GangRow> rows = {{unit.workers.pod_class, unit.workers.count}};
  if (unit.leader) rows.push_back({unit.leader->pod_class, 1});
  GroupQuery query;
  query.constraint = &asked;
  query.segments = unit.layers;
  query.rows = rows;
  query.mode = mode;
  if (within_.valid()) query.scope_topology = unit.workers.topology;
  query.scope = within_;
  groups_ = feasible->groups(query, std::move(groups_));
  if (!groups_) return;
  NodeGroup group;
  for (size_t tried = 0, found = 0; tried < kMostGroups && found < most; ++tried) {
    if (!groups_->next(group)) break;
    UnitPlace place;
    if (!fill_group(unit, group, mode, place)) continue;
    places.push_back(std::move(place));
    ++found;
  }
}

bool UnitChoices::fill_group(const WorkloadUnit& unit, const NodeGroup& group, FitMode mode,
                             UnitPlace& place) {
  Statement& statement = context_.statement();
  Statement::Checkpoint start = statement.checkpoint();
  bool filled = !unit.leader || place_leader(unit, group, mode, place);
  int64_t left = unit.workers.count;
  for (const GroupPart& part : group.parts) {
    if (!filled || left == 0) break;
    int64_t wanted = group.exact ? part.pods : left;
    FillRequest workers{unit.workers.pod_class, static_cast<int32_t>(wanted), mode, {}};
    left -= fill_nodes_with(context_, workers, part.nodes, place.workers);
  }
  statement.rollback(start);
  if (!filled || left > 0) return false;
  leaves_of_nodes(unit, place);
  return true;
}

// Places the leader where it takes least of the workers' room, in the first part that takes it.
bool UnitChoices::place_leader(const WorkloadUnit& unit, const NodeGroup& group, FitMode mode,
                               UnitPlace& place) {
  FillRequest leader{unit.leader->pod_class, 1, mode, unit.workers.pod_class};
  for (const GroupPart& part : group.parts) {
    if (fill_nodes_with(context_, leader, part.nodes, place.leaders) == 1) return true;
  }
  return false;
}

void UnitChoices::leaves_of_nodes(const WorkloadUnit& unit, UnitPlace& place) const {
  const TopologyTree& tree = context_.snapshot().trees()[unit.workers.topology];
  auto add = [&](const SlotFill& fill, int32_t workers, int32_t leaders) {
    place.leaves.push_back({tree.domain_of(fill.node), workers, leaders});
  };
  for (const SlotFill& fill : place.workers) add(fill, fill.count, 0);
  for (const SlotFill& fill : place.leaders) add(fill, 0, fill.count);
  std::sort(place.leaves.begin(), place.leaves.end(),
            [](const LeafCounts& a, const LeafCounts& b) { return a.leaf < b.leaf; });
  size_t kept = 0;
  for (const LeafCounts& counts : place.leaves) {
    if (kept > 0 && place.leaves[kept - 1].leaf == counts.leaf) {
      place.leaves[kept - 1].workers += counts.workers;
      place.leaves[kept - 1].leaders += counts.leaders;
    } else {
      place.leaves[kept++] = counts;
    }
  }
  place.leaves.resize(kept);
  count_domains(tree, place);
}

}  // namespace trellis
