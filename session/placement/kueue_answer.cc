#include "session/placement/kueue_answer.h"

#include <algorithm>

#include "session/placement/node_filling.h"

namespace trellis {

bool KueueAnswers::gate(const char* name, bool otherwise) const {
  const auto& gates = context_.config().kueue_feature_gates;
  auto found = gates.find(name);
  return is_kueue() && found != gates.end() ? found->second : otherwise;
}

bool KueueAnswers::is_kueue() const {
  return context_.config().placement_profile == PlacementProfile::Kueue;
}

std::optional<UnitPlace> KueueAnswers::find(const WorkloadUnit& unit, FitMode mode,
                                            DomainId within) {
  UnitPlace found;
  bool valid = (is_kueue() || follows_request(unit)) && place(unit, mode, within, found);
  if (!valid || (!is_kueue() && !stands_together(found, mode))) return std::nullopt;
  return found;
}

// Whether the workers still fit once the leader is there: pods may keep apart by terms that counts
// of one class alone do not show.
bool KueueAnswers::stands_together(const UnitPlace& place, FitMode mode) {
  if (place.leaders.empty()) return true;
  Statement& statement = context_.statement();
  Statement::Checkpoint start = statement.checkpoint();
  for (const SlotFill& fill : place.leaders) {
    statement.take_slots(fill.pod_class, fill.node, fill.count, mode);
  }
  bool fits = std::ranges::all_of(place.workers, [&](const SlotFill& fill) {
    return context_.fits().node_fit(fill.node, fill.pod_class, mode) >= fill.count;
  });
  statement.rollback(start);
  return fits;
}

// Kueue drops the pods of a partial segment, and ignores terms between pods.
bool KueueAnswers::follows_request(const WorkloadUnit& unit) const {
  const FitCache& fits = context_.fits();
  if (!fits.exact(unit.workers.pod_class)) return false;
  if (unit.leader && !fits.exact(unit.leader->pod_class)) return false;
  return unit.segments.empty() || unit.workers.count % unit.segments.front().size == 0;
}

bool KueueAnswers::place(const WorkloadUnit& unit, FitMode mode, DomainId within,
                         UnitPlace& place) {
  TopologyId topology = unit.workers.topology;
  const TopologyTree& tree = context_.snapshot().trees()[topology];
  bool summed = is_kueue() && !ends_in_nodes(context_.cluster(), topology);
  if (summed) sums_ = summed_counts(context_, unit.workers, mode);
  const DomainCounts& pods =
      summed ? *sums_ : context_.fits().domain_counts(topology, unit.workers.pod_class, mode);
  KueueLeaves leaves{.pods = pods, .leaders = {}, .beside = {}, .affinity = {}, .within = within};
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
  place.leaves.reserve(answer.workers.size());
  for (const DomainPods& part : answer.workers) {
    place.leaves.push_back({part.domain, static_cast<int32_t>(part.pods), 0});
  }
  if (unit.leader) add_leader(answer.leader, place);
  return spread_over_nodes(unit, mode, place);
}

void KueueAnswers::add_leader(DomainId leaf, UnitPlace& place) const {
  auto at = std::lower_bound(
      place.leaves.begin(), place.leaves.end(), leaf,
      [](const LeafCounts& counts, DomainId domain) { return counts.leaf < domain; });
  if (at == place.leaves.end() || at->leaf != leaf) at = place.leaves.insert(at, {leaf, 0, 0});
  at->leaders = 1;
}

// Distributes the pods of leaves over nodes. In profile `kueue` pods that do not fit on nodes,
// because only sums were compared, are in the leaf alone.
bool KueueAnswers::spread_over_nodes(const WorkloadUnit& unit, FitMode mode, UnitPlace& place) {
  const TopologyTree& tree = context_.snapshot().trees()[unit.workers.topology];
  Statement& statement = context_.statement();
  Statement::Checkpoint start = statement.checkpoint();
  bool whole = true;
  place.workers.reserve(place.leaves.size());
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
  return whole || is_kueue();
}

}  // namespace trellis
