#include "session/placement/placement_unit.h"

#include <algorithm>
#include <utility>

#include "framework/topology_levels.h"

namespace trellis {
namespace {

bool asks(const Subgroup& subgroup) {
  return subgroup.topology.required.valid() || subgroup.topology.preferred.valid() ||
         !subgroup.segments.empty();
}

TopologyId topology_of(const PlacementContext& context, const PlacementUnit& unit) {
  if (!unit.constraint.topology.valid()) return TopologyId();
  const Cluster& cluster = context.cluster();
  return cluster.find_topology(cluster.vocabulary().strings.view(unit.constraint.topology));
}

int required_level(const PlacementContext& context, const PlacementUnit& unit,
                   TopologyId topology) {
  if (!topology.valid() || !unit.constraint.required.valid()) return -1;
  const Cluster& cluster = context.cluster();
  return resolve_levels(cluster.topologies()[topology], unit.constraint,
                        cluster.vocabulary().strings)
      .required;
}

class UnitMaker {
 public:
  UnitMaker(const PlacementContext& context, GangId gang)
      : context_(context), id_(gang), gang_(context.cluster().gangs()[gang]) {
    PlacementUnit& whole = units_.emplace_back();
    whole.constraint = gang_.topology;
    whole.balanced = gang_.balanced;
    for (size_t i = 0; i < gang_.subgroups.size(); ++i) {
      const Subgroup& subgroup = gang_.subgroups[i];
      int32_t parent = unit_of(subgroup.parent);
      unit_of_.push_back(asks(subgroup) ? static_cast<int32_t>(units_.size()) : parent);
      if (!asks(subgroup)) continue;
      PlacementUnit& unit = units_.emplace_back();
      unit.parent = parent;
      unit.subgroup = static_cast<int32_t>(i);
      unit.constraint = subgroup.topology;
      unit.balanced = gang_.balanced;
    }
  }

  std::vector<PlacementUnit> run(std::span<const LeafPods> leaves, SegmentForm form) {
    for (const LeafPods& leaf : leaves) {
      PlacementUnit& unit = units_[static_cast<size_t>(unit_of(leaf.subgroup))];
      for (const RowPods& row : leaf.rows) add_row(row, unit.rows);
    }
    add_placed();
    add_later(leaves);
    for (const LeafPods& leaf : leaves) {
      const std::vector<SegmentLayer>& segments =
          leaf.subgroup < 0 ? gang_.segments
                            : gang_.subgroups[static_cast<size_t>(leaf.subgroup)].segments;
      if (segments.empty() || leaf.rows.empty()) continue;
      PlacementUnit& unit = units_[static_cast<size_t>(unit_of(leaf.subgroup))];
      bool countable = unit.rows.size() == 1 && unit.placed.empty() &&
                       has_first_ranks(leaf.subgroup, unit.rows.front());
      if (form == SegmentForm::Counted && countable) {
        unit.segments = segments;
      } else {
        make_segments(leaf.subgroup, segments);
      }
    }
    return std::move(units_);
  }

 private:
  int32_t unit_of(int32_t subgroup) const {
    return subgroup < 0 ? 0 : unit_of_[static_cast<size_t>(subgroup)];
  }

  void add_placed() {
    for (PodId pod : context_.cluster().pods_of(id_)) {
      PodState state = context_.snapshot().pod(pod);
      if (!will_remain(state.status) || !state.node.valid()) continue;
      for (int32_t at = unit_of(context_.snapshot().key(pod).subgroup); at >= 0;) {
        units_[static_cast<size_t>(at)].placed.push_back(state.node);
        at = units_[static_cast<size_t>(at)].parent;
      }
    }
  }

  // All other pods that wait, those too that are held: they are to find room beside these.
  void add_later(std::span<const LeafPods> leaves) {
    std::vector<PodId> now;
    for (const LeafPods& leaf : leaves) {
      for (const RowPods& row : leaf.rows) now.insert(now.end(), row.pods.begin(), row.pods.end());
    }
    if (now.size() == context_.cluster().pods_of(id_).size()) return;
    std::sort(now.begin(), now.end());
    // By rank, since the order of rows may decide which domain takes them.
    for (PodId pod : context_.ranked_pods(id_)) {
      if (context_.snapshot().pod(pod).status != PodStatus::Pending) continue;
      if (std::binary_search(now.begin(), now.end(), pod)) continue;
      const PodKey& key = context_.snapshot().key(pod);
      add_to_rows(key.pod_class, 1, units_[static_cast<size_t>(unit_of(key.subgroup))].later);
    }
  }

  // Whether the row has the first ranks of its leaf, so that its segments follow from its count.
  bool has_first_ranks(int32_t subgroup, const RowPods& row) const {
    if (row.pods.size() == context_.cluster().pods_of(id_).size()) return true;
    std::vector<PodId> pods = row.pods;
    std::sort(pods.begin(), pods.end());
    size_t found = 0;
    for (PodId pod : context_.ranked_pods(id_)) {
      if (found == pods.size()) break;
      if (context_.snapshot().key(pod).subgroup != subgroup) continue;
      if (!std::binary_search(pods.begin(), pods.end(), pod)) return false;
      ++found;
    }
    return found == pods.size();
  }

  // Moves the unit's pods to units of their segments, layer below layer.
  void make_segments(int32_t subgroup, std::span<const SegmentLayer> layers) {
    int32_t base = unit_of(subgroup);
    // All segments in one domain of their common level, where that is possible.
    TopologyConstraint& whole = units_[static_cast<size_t>(base)].constraint;
    if (!whole.required.valid() && !whole.preferred.valid()) {
      whole.preferred = layers[0].preferred.valid() ? layers[0].preferred : layers[0].required;
    }
    std::vector<RowPods> rows = std::move(units_[static_cast<size_t>(base)].rows);
    units_[static_cast<size_t>(base)].rows.clear();
    std::vector<std::pair<PodId, PodClassId>> to_place;
    for (const RowPods& row : rows) {
      for (PodId pod : row.pods) to_place.emplace_back(pod, row.pod_class);
    }
    std::sort(to_place.begin(), to_place.end());
    SegmentUnits segments(units_, base, layers);
    std::vector<std::pair<int64_t, NodeId>> placed;
    int64_t position = 0;
    for (PodId pod : context_.ranked_pods(id_)) {
      if (context_.snapshot().key(pod).subgroup != subgroup) continue;
      int64_t place = position++;
      PodState state = context_.snapshot().pod(pod);
      if (will_remain(state.status) && state.node.valid()) placed.emplace_back(place, state.node);
      auto found =
          std::lower_bound(to_place.begin(), to_place.end(), std::pair(pod, PodClassId(0)));
      if (found == to_place.end() || found->first != pod) continue;
      segments.add(place, found->second, pod);
    }
    for (const auto& [place, node] : placed) segments.add_placed(place, node);
  }

  const PlacementContext& context_;
  GangId id_;
  const Gang& gang_;
  std::vector<PlacementUnit> units_;
  std::vector<int32_t> unit_of_;  // by subgroup
};

}  // namespace

SegmentUnits::SegmentUnits(std::vector<PlacementUnit>& units, int32_t base,
                           std::span<const SegmentLayer> layers)
    : units_(units), base_(base), layers_(layers) {}

void SegmentUnits::add(int64_t position, PodClassId pod_class, PodId pod) {
  int32_t at = base_;
  for (size_t layer = 0; layer < layers_.size(); ++layer) {
    at = unit_of(layer, position / layers_[layer].size, at);
  }
  add_row({pod_class, {pod}}, units_[static_cast<size_t>(at)].rows);
}

void SegmentUnits::add_placed(int64_t position, NodeId node) {
  for (size_t layer = 0; layer < layers_.size(); ++layer) {
    auto found = known_.find({layer, position / layers_[layer].size});
    if (found != known_.end()) units_[static_cast<size_t>(found->second)].placed.push_back(node);
  }
}

int32_t SegmentUnits::unit_of(size_t layer, int64_t segment, int32_t parent) {
  auto [found, added] = known_.try_emplace({layer, segment}, static_cast<int32_t>(units_.size()));
  if (!added) return found->second;
  const PlacementUnit& above = units_[static_cast<size_t>(parent)];
  PlacementUnit unit;
  unit.parent = parent;
  unit.subgroup = above.subgroup;
  unit.balanced = above.balanced;
  unit.divided_to = above.divided_to;
  unit.constraint = {above.constraint.topology, layers_[layer].required, layers_[layer].preferred};
  units_.push_back(std::move(unit));
  return found->second;
}

bool is_below(std::span<const PlacementUnit> units, size_t unit, size_t above) {
  while (unit > above && units[unit].parent >= 0) unit = static_cast<size_t>(units[unit].parent);
  return unit == above;
}

std::vector<PlacementUnit> make_units(const PlacementContext& context, GangId gang,
                                      std::span<const LeafPods> leaves, SegmentForm form) {
  return UnitMaker(context, gang).run(leaves, form);
}

void add_row(RowPods row, std::vector<RowPods>& rows) {
  auto same = std::find_if(rows.begin(), rows.end(),
                           [&](const RowPods& known) { return known.pod_class == row.pod_class; });
  if (same == rows.end()) {
    rows.push_back(std::move(row));
  } else {
    same->pods.insert(same->pods.end(), row.pods.begin(), row.pods.end());
  }
}

int64_t pods_of(std::span<const RowPods> rows) {
  int64_t pods = 0;
  for (const RowPods& row : rows) pods += static_cast<int64_t>(row.pods.size());
  return pods;
}

void add_to_rows(PodClassId pod_class, int64_t pods, std::vector<GangRow>& rows) {
  auto same = std::find_if(rows.begin(), rows.end(),
                           [&](const GangRow& row) { return row.pod_class == pod_class; });
  if (same == rows.end()) same = rows.insert(rows.end(), {pod_class, 0});
  same->count += static_cast<int32_t>(pods);
}

UnitTree::UnitTree(const PlacementContext& context, std::span<const PlacementUnit> units)
    : units_(units) {
  for (size_t unit = 0; unit < units.size(); ++unit) {
    // Most units have the same constraint as the unit before.
    bool same = unit > 0 && units[unit].constraint == units[unit - 1].constraint;
    if (same) {
      levels_.push_back(levels_.back());
      continue;
    }
    TopologyId topology = topology_of(context, units[unit]);
    levels_.push_back({topology, required_level(context, units[unit], topology)});
  }
  for (size_t unit = 0; unit < units.size(); ++unit) bindings_.push_back(binding_of(context, unit));
  list_inside();
}

UnitBinding UnitTree::binding_of(const PlacementContext& context, size_t unit) const {
  TopologyId topology = levels_[unit].topology;
  UnitBinding binding{.depth = -1, .pods = pods_of(units_[unit].rows)};
  for (auto at = static_cast<int32_t>(unit); at >= 0; at = units_[static_cast<size_t>(at)].parent) {
    const UnitLevel& binds = levels_[static_cast<size_t>(at)];
    if (topology.valid() && binds.topology != topology) continue;
    binding.depth = std::max(binding.depth, binds.required);
  }
  const std::vector<SegmentLayer>& segments = units_[unit].segments;
  if (!topology.valid() || segments.empty()) return binding;
  const SegmentLayer& layer = segments.front();
  const Cluster& cluster = context.cluster();
  ResolvedLevels levels =
      resolve_levels(cluster.topologies()[topology],
                     {units_[unit].constraint.topology, layer.required, layer.preferred},
                     cluster.vocabulary().strings);
  int depth = std::max(levels.required, levels.preferred);
  if (depth > binding.depth) binding = {depth, std::min<int64_t>(binding.pods, layer.size)};
  return binding;
}

void UnitTree::list_inside() {
  auto each_above = [&](size_t unit, auto visit) {
    for (auto at = static_cast<int32_t>(unit); at >= 0;) {
      visit(static_cast<size_t>(at));
      at = units_[static_cast<size_t>(at)].parent;
    }
  };
  std::vector<uint32_t> next(units_.size() + 1, 0);
  for (size_t unit = 0; unit < units_.size(); ++unit) {
    each_above(unit, [&](size_t above) { ++next[above + 1]; });
  }
  for (size_t unit = 0; unit < units_.size(); ++unit) next[unit + 1] += next[unit];
  first_inside_ = next;
  inside_.resize(next.back());
  for (size_t unit = 0; unit < units_.size(); ++unit) {
    each_above(unit, [&](size_t above) { inside_[next[above]++] = static_cast<uint32_t>(unit); });
  }
}

std::vector<size_t> UnitTree::turns(std::span<const size_t> first) const {
  std::vector<size_t> turns(units_.size(), first.size());
  for (size_t i = 0; i < first.size(); ++i) turns[first[i]] = first.size() - 1 - i;
  for (size_t unit = 0; unit < units_.size(); ++unit) {
    int32_t parent = units_[unit].parent;
    if (parent >= 0) turns[unit] = std::min(turns[unit], turns[static_cast<size_t>(parent)]);
  }
  return turns;
}

}  // namespace trellis
