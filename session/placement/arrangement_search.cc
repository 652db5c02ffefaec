#include "session/placement/arrangement_search.h"

#include <algorithm>

#include "framework/topology_levels.h"
#include "topology/tree.h"

namespace trellis {

bool ArrangementSearch::place(std::span<const PlacementUnit> units) {
  units_ = units;
  size_t pods = 0;
  for (const PlacementUnit& unit : units) {
    for (const RowPods& row : unit.rows) pods += row.pods.size();
  }
  if (pods > kMostPods) {
    budget_.give_up();
    return false;
  }
  if (mode_) return place_in(*mode_);
  if (place_in(FitMode::Now)) return true;
  return context_.fits().anything_leaving() && !budget_.exhausted() && place_in(FitMode::Future);
}

// Depth first over the units, parents before the units below them.
bool ArrangementSearch::place_in(FitMode mode) {
  choices_.clear();
  choices_.push_back(choices_for(0, mode));
  while (!choices_.empty()) {
    Choice& choice = choices_.back();
    if (choice.bound && choice.turn >= choice.domains.size()) {
      choices_.pop_back();
      while (!choices_.empty() && !choices_.back().bound) choices_.pop_back();
      if (!choices_.empty()) ++choices_.back().turn;
      continue;
    }
    if (choices_.size() < units_.size()) {
      if (!budget_.spend(1)) return false;
      choices_.push_back(choices_for(choices_.size(), mode));
      continue;
    }
    if (!budget_.spend(1)) return false;
    if (arrange(mode)) return true;
    if (budget_.exhausted()) return false;
    while (!choices_.empty() && !choices_.back().bound) choices_.pop_back();
    if (!choices_.empty()) ++choices_.back().turn;
  }
  return false;
}

bool ArrangementSearch::holds(size_t unit, TopologyId topology, DomainId domain,
                              FitMode mode) const {
  return std::all_of(units_[unit].rows.begin(), units_[unit].rows.end(), [&](const RowPods& row) {
    const DomainCounts& counts = context_.fits().domain_counts(topology, row.pod_class, mode);
    return counts[domain] >= static_cast<int64_t>(row.pods.size());
  });
}

ArrangementSearch::Choice ArrangementSearch::choices_for(size_t index, FitMode mode) const {
  const PlacementUnit& unit = units_[index];
  const Cluster& cluster = context_.cluster();
  const StringTable& strings = cluster.vocabulary().strings;
  Choice choice;
  if (!unit.constraint.topology.valid() || !unit.constraint.required.valid()) return choice;
  choice.topology = cluster.find_topology(strings.view(unit.constraint.topology));
  if (!choice.topology.valid()) return choice;
  int level =
      resolve_levels(cluster.topologies()[choice.topology], unit.constraint, strings).required;
  if (level < 0) return choice;
  choice.bound = true;
  const TopologyTree& tree = context_.snapshot().trees()[choice.topology];
  DomainId above = tree.root();
  for (int32_t at = unit.parent; at >= 0; at = units_[static_cast<size_t>(at)].parent) {
    const Choice& outer = choices_[static_cast<size_t>(at)];
    if (!outer.bound || outer.topology != choice.topology) continue;
    above = outer.domains[outer.turn];
    break;
  }
  std::vector<DomainId> homes = home_domains(tree, unit.placed, level);
  // A unit that is bound more loosely than the unit above it has the domain of that unit.
  IdRange range = tree.descendants(above, std::max(level, tree.level_of(above)));
  budget_.spend(unit.placed.size() + range.size() * (unit.rows.size() + 1));
  for (uint32_t id = range.first; id < range.last; ++id) {
    DomainId domain(id);
    bool ours =
        unit.placed.empty() || std::ranges::binary_search(homes, tree.ancestor(domain, level));
    if (ours && holds(index, choice.topology, domain, mode)) choice.domains.push_back(domain);
  }
  return choice;
}

// The nodes inside every domain that was chosen for the unit and those above it.
std::vector<NodeId> ArrangementSearch::nodes_for(size_t unit) const {
  std::vector<NodeId> nodes;
  bool started = false;
  for (int32_t at = static_cast<int32_t>(unit); at >= 0;
       at = units_[static_cast<size_t>(at)].parent) {
    const Choice& choice = choices_[static_cast<size_t>(at)];
    if (!choice.bound) continue;
    const TopologyTree& tree = context_.snapshot().trees()[choice.topology];
    DomainId domain = choice.domains[choice.turn];
    if (!started) {
      nodes.assign(tree.nodes(domain).begin(), tree.nodes(domain).end());
      started = true;
      continue;
    }
    IdRange inside = tree.node_range(domain);
    std::erase_if(nodes, [&](NodeId node) {
      uint32_t position = tree.position(node);
      return position < inside.first || position >= inside.last;
    });
  }
  if (started) return nodes;
  std::span<const NodeId> all = context_.snapshot().all_nodes().node_order();
  return {all.begin(), all.end()};
}

bool ArrangementSearch::arrange(FitMode mode) {
  std::vector<std::vector<NodeId>> nodes;
  nodes.reserve(units_.size());
  std::vector<BoundRow> rows;
  for (size_t unit = 0; unit < units_.size(); ++unit) {
    if (units_[unit].rows.empty()) continue;
    nodes.push_back(nodes_for(unit));
    budget_.spend(nodes.back().size());
    for (const RowPods& row : units_[unit].rows) {
      rows.push_back({{row.pod_class, row.pods}, nodes.back()});
    }
  }
  // The fewest choices first.
  std::stable_sort(rows.begin(), rows.end(), [](const BoundRow& a, const BoundRow& b) {
    return a.nodes.size() < b.nodes.size();
  });
  return PodArrangement(context_, budget_, mode).place(rows);
}

}  // namespace trellis
