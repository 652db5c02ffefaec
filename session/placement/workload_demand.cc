#include "session/placement/workload_demand.h"

#include <algorithm>

#include "session/placement/divided_fill.h"

namespace trellis {

WorkloadDemand::WorkloadDemand(PlacementContext& context, std::span<const WorkloadUnit> units,
                               DomainId within)
    : context_(context), units_(units), within_(within) {
  std::vector<GangRow> rows;
  for (const WorkloadUnit& unit : units_) {
    const FlavoredPodSet& leader = unit.leader.value_or(FlavoredPodSet());
    rows.push_back({unit.workers.pod_class, unit.workers.count});
    rows.push_back({leader.pod_class, leader.count});
  }
  first_ = context_.statement().reserve(rows);
  if (!first_.valid()) return;
  uint32_t next = first_.value;
  for (const GangRow& row : rows) {
    RowPods& made = rows_.emplace_back();
    made.pod_class = row.pod_class;
    for (int32_t i = 0; i < row.count; ++i) made.pods.emplace_back(next++);
  }
}

std::vector<const RowPods*> WorkloadDemand::rows() const {
  std::vector<const RowPods*> rows;
  for (const RowPods& row : rows_) {
    if (!row.pods.empty()) rows.push_back(&row);
  }
  return rows;
}

std::vector<PlacementUnit> WorkloadDemand::make_units(SegmentForm form) const {
  std::vector<PlacementUnit> made;
  bool single = units_.size() == 1;
  if (!single) made.push_back(make_whole());
  for (size_t i = 0; i < units_.size(); ++i) {
    PlacementUnit& unit = made.emplace_back(make_unit(i));
    unit.parent = single ? -1 : 0;
    if (units_[i].segments.empty()) add_row(workers(i), unit.rows);
    if (!leader(i).pods.empty()) add_row(leader(i), unit.rows);
    if (!units_[i].segments.empty()) add_segments(i, form, made);
  }
  return made;
}

// All units of one topology as one: they keep together at the highest level that one of them asks
// for. Where preferences or balance spread some, or topologies differ, the whole asks nothing.
PlacementUnit WorkloadDemand::make_whole() const {
  PlacementUnit whole;
  TopologyId id = units_.front().workers.topology;
  const Topology& topology = context_.cluster().topologies()[id];
  auto lowest = static_cast<int>(topology.levels.size()) - 1;
  int asked = lowest;
  PlacementUnit pods;
  for (size_t i = 0; i < units_.size(); ++i) {
    const WorkloadUnit& unit = units_[i];
    if (unit.workers.topology != id || unit.balanced) return whole;
    if (unit.mode != KueueMode::Unconstrained) asked = std::min(asked, unit.level);
    pods.rows.push_back(workers(i));
  }
  if (has_preferences(context_, pods)) return whole;
  whole.constraint.topology = context_.cluster().vocabulary().strings.find(topology.name);
  whole.constraint.preferred = topology.levels[static_cast<size_t>(asked)].label;
  whole.divided_to = topology.levels.back().label;
  whole.scope_topology = id;
  whole.scope = within_.valid() ? within_ : context_.snapshot().trees()[id].root();
  return whole;
}

PlacementUnit WorkloadDemand::make_unit(size_t index) const {
  const WorkloadUnit& unit = units_[index];
  const Cluster& cluster = context_.cluster();
  TopologyId id = unit.workers.topology;
  const Topology& topology = cluster.topologies()[id];
  StrId lowest = topology.levels.back().label;
  StrId asked = topology.levels[static_cast<size_t>(unit.level)].label;
  PlacementUnit made;
  made.subgroup = static_cast<int32_t>(index);
  made.constraint.topology = cluster.vocabulary().strings.find(topology.name);
  made.balanced = unit.balanced;
  made.divided_to = lowest;
  made.scope_topology = id;
  made.scope = within_.valid() ? within_ : context_.snapshot().trees()[id].root();
  if (unit.mode == KueueMode::Required) made.constraint.required = asked;
  if (unit.mode == KueueMode::Preferred) made.constraint.preferred = asked;
  PlacementUnit pods;
  pods.rows.push_back(workers(index));
  // Preferences about nodes decide what the topology leaves open.
  bool open = unit.mode == KueueMode::Unconstrained && !has_preferences(context_, pods);
  if (open) made.constraint.preferred = lowest;
  return made;
}

// Puts the workers into segments: of their unit, or of one below the leader's.
void WorkloadDemand::add_segments(size_t index, SegmentForm form,
                                  std::vector<PlacementUnit>& units) const {
  auto base = static_cast<int32_t>(units.size()) - 1;
  if (!units.back().rows.empty()) {
    PlacementUnit below = units.back();
    below.parent = base++;
    below.rows.clear();
    below.constraint = {below.constraint.topology, {}, {}};
    units.push_back(std::move(below));
  }
  const std::vector<SegmentLayer>& layers = units_[index].layers;
  PlacementUnit& unit = units.back();
  if (form == SegmentForm::Counted) {
    unit.segments = layers;
    add_row(workers(index), unit.rows);
    return;
  }
  // All segments in one domain of their common level, where that is possible.
  TopologyConstraint& whole = unit.constraint;
  if (!whole.required.valid() && !whole.preferred.valid()) whole.preferred = layers[0].required;
  SegmentUnits segments(units, base, layers);
  int64_t position = 0;
  for (PodId pod : workers(index).pods) {
    segments.add(position++, workers(index).pod_class, pod);
  }
}

}  // namespace trellis
