#include "session/placement/arrangement_search.h"

#include <algorithm>
#include <numeric>
#include <unordered_set>
#include <utility>

#include "framework/topology_levels.h"
#include "session/placement/linked_search.h"
#include "topology/tree.h"

namespace trellis {

std::vector<NodeId> PodArrangement::order_for(const BoundRow& bound) {
  FitCache& fits = context_.fits();
  budget_.spend(2 * bound.nodes.size());
  PodClassId pod_class = bound.row.pod_class;
  std::vector<double> scores(bound.nodes.size());
  fits.score(pod_class, mode_, bound.nodes, scores);
  std::vector<size_t> order(bound.nodes.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return scores[a] > scores[b]; });
  std::vector<NodeId> sorted;
  for (size_t index : order) {
    if (fits.node_fit(bound.nodes[index], pod_class, mode_) > 0) {
      sorted.push_back(bound.nodes[index]);
    }
  }
  return sorted;
}

uint64_t PodArrangement::signature(NodeId node) {
  uint64_t hash = 0x9e3779b97f4a7c15ULL;
  auto mix = [&](int64_t value) {
    hash ^= static_cast<uint64_t>(value) + 0x9e3779b97f4a7c15ULL + (hash << 6) + (hash >> 2);
    hash *= 0xff51afd7ed558ccdULL;
  };
  const NodeState& state = context_.snapshot().state();
  for (const NodeState::Column& column : state.columns(mode_)) mix(column[node]);
  mix(state.future[kGpu][node]);
  for (FitMode mode : {FitMode::Now, FitMode::Future}) {
    for (int64_t device : state.devices(node, mode)) mix(device);
  }
  for (const BoundRow& bound : rows_) {
    mix(context_.fits().fit_now(bound.row.pod_class, mode_, node));
  }
  if (!open_to_.empty()) mix(static_cast<int64_t>(open_to_[node.value]));
  return hash;
}

// The devices that a pod of the row may be granted, the preferred ones last; one empty choice for a
// pod that shares no GPU.
std::vector<GpuGrant> PodArrangement::device_choices(PodClassId pod_class, NodeId node) {
  if (!context_.cluster().pod_classes()[pod_class].gpu_share.active()) return {GpuGrant()};
  const DeviceGranter* granter = context_.hooks().device_granter;
  if (granter == nullptr) return {};
  GpuChoices choices = granter->choices(pod_class, mode_, node);
  choices_cut_ = choices_cut_ || !choices.all;
  std::reverse(choices.grants.begin(), choices.grants.end());
  return std::move(choices.grants);
}

// Depth first over the pods, hardest row first; each pod has a frame, each frame a checkpoint.
bool PodArrangement::place(std::span<const BoundRow> rows) {
  rows_ = rows;
  open_to_ = who_may_use(rows, budget_);
  if (budget_.exhausted()) return false;
  std::vector<Item> items;
  std::vector<std::vector<NodeId>> orders;
  for (size_t row = 0; row < rows_.size(); ++row) {
    for (PodId pod : rows_[row].row.pods) items.push_back({pod, row});
    orders.push_back(order_for(rows_[row]));
  }
  struct Frame {
    size_t next = 0;  // index into the row's order
    Statement::Checkpoint before;
    std::unordered_set<uint64_t> tried;  // signatures; only looked up, never iterated
    std::vector<GpuGrant> devices;       // choices not tried yet on the last node; the last is next
  };
  Statement& statement = context_.statement();
  std::vector<Frame> frames;
  frames.push_back({0, statement.checkpoint(), {}, {}});
  while (!frames.empty()) {
    size_t depth = frames.size() - 1;
    Frame& frame = frames.back();
    const Item& item = items[depth];
    const std::vector<NodeId>& order = orders[item.row];
    bool placed = false;
    while (!placed && (frame.next < order.size() || !frame.devices.empty())) {
      if (!budget_.spend(kVerdictWork + rows_.size())) {
        statement.rollback(frames.front().before);
        return false;
      }
      if (frame.devices.empty()) {
        NodeId node = order[frame.next++];
        if (context_.fits().fit_now(rows_[item.row].row.pod_class, mode_, node) <= 0) continue;
        if (!frame.tried.insert(signature(node)).second) continue;
        frame.devices = device_choices(rows_[item.row].row.pod_class, node);
        if (frame.devices.empty()) continue;
      }
      statement.place_on(item.pod, order[frame.next - 1], mode_, frame.devices.back());
      frame.devices.pop_back();
      placed = true;
    }
    if (!placed) {
      frames.pop_back();
      if (!frames.empty()) statement.rollback(frames.back().before);
      continue;
    }
    if (depth + 1 == items.size()) return true;
    // Equal pods are placed on nodes in order, so that no arrangement is tried twice.
    size_t first = items[depth + 1].row == item.row ? frame.next - 1 : 0;
    frames.push_back({first, statement.checkpoint(), {}, {}});
  }
  if (choices_cut_) budget_.give_up();
  return false;
}

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
  struct Row {
    PodClassId pod_class;
    std::vector<NodeId> nodes;
    std::vector<PodId> pods;
    int64_t fits = 0;  // pods of the class that the cluster takes
  };
  std::vector<Row> rows;
  for (size_t unit = 0; unit < units_.size(); ++unit) {
    if (units_[unit].rows.empty()) continue;
    std::vector<NodeId> nodes = nodes_for(unit);
    for (const RowPods& row : units_[unit].rows) {
      budget_.spend(nodes.size());
      // Equal pods of several units that may be on the same nodes are one row: otherwise each
      // would be tried in the place of each other.
      auto same = std::ranges::find_if(rows, [&](const Row& known) {
        return known.pod_class == row.pod_class && known.nodes == nodes;
      });
      if (same == rows.end()) {
        rows.push_back({row.pod_class, nodes, {}, context_.fits().total(row.pod_class, mode)});
        same = rows.end() - 1;
      }
      same->pods.insert(same->pods.end(), row.pods.begin(), row.pods.end());
    }
  }
  // The fewest choices first.
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
    return std::pair(a.nodes.size(), a.fits) < std::pair(b.nodes.size(), b.fits);
  });
  std::vector<BoundRow> bound;
  bound.reserve(rows.size());
  for (const Row& row : rows) bound.push_back({{row.pod_class, row.pods}, row.nodes});
  bool linked = std::ranges::any_of(
      rows, [&](const Row& row) { return !context_.fits().exact(row.pod_class); });
  return linked ? LinkedSearch(context_, budget_).arrange(bound, mode)
                : PodArrangement(context_, budget_, mode).place(bound);
}

}  // namespace trellis
