#include "plugins/topology/topology_plugin.h"

#include "plugins/topology/topology_groups.h"

namespace trellis {

void TopologyPlugin::open(const View& view, Hooks& hooks) {
  view_ = &view;
  hooks.feasible_nodes.supply(this, name());
}

TopologyId TopologyPlugin::find(StrId name) const {
  if (!name.valid()) return TopologyId();
  std::string_view wanted = view_->vocabulary->strings.view(name);
  for (uint32_t i = 0; i < view_->topologies->size(); ++i) {
    if ((*view_->topologies)[TopologyId(i)].name == wanted) return TopologyId(i);
  }
  return TopologyId();
}

Reason TopologyPlugin::refusal(const TopologyConstraint& constraint,
                               std::span<const SegmentLayer> segments) const {
  const StringTable& strings = view_->vocabulary->strings;
  StrId level = constraint.required.valid() ? constraint.required : constraint.preferred;
  for (const SegmentLayer& layer : segments) {
    if (!level.valid()) level = layer.required.valid() ? layer.required : layer.preferred;
  }
  Reason reason;
  reason.plugin = name();
  if (!constraint.topology.valid()) {
    if (!level.valid()) return {};
    reason.code = ReasonCode::TopologyNotNamed;
    reason.subject = strings.view(level);
    return reason;
  }
  reason.topology = strings.view(constraint.topology);
  TopologyId id = find(constraint.topology);
  if (!id.valid()) {
    reason.code = ReasonCode::TopologyNotFound;
    reason.subject = reason.topology;
    return reason;
  }
  const Topology& topology = (*view_->topologies)[id];
  ResolvedLevels levels = resolve_levels(topology, constraint, strings);
  for (const SegmentLayer& layer : segments) {
    if (levels.error != ReasonCode::None) break;
    levels =
        resolve_levels(topology, {constraint.topology, layer.required, layer.preferred}, strings);
  }
  if (levels.error == ReasonCode::None) return {};
  reason.code = levels.error;
  reason.subject = strings.view(levels.subject);
  return reason;
}

Reason TopologyPlugin::refusal(GangId id) const {
  const Gang& gang = (*view_->gangs)[id];
  Reason reason = refusal(gang.topology, gang.segments);
  for (const Subgroup& subgroup : gang.subgroups) {
    if (reason.code != ReasonCode::None) break;
    reason = refusal(subgroup.topology, subgroup.segments);
    if (reason.code == ReasonCode::None) continue;
    reason.subgroup = view_->vocabulary->strings.view(subgroup.name);
  }
  return reason;
}

std::unique_ptr<NodeGroups> TopologyPlugin::groups(const GroupQuery& query,
                                                   std::unique_ptr<NodeGroups> used) {
  const TopologyConstraint& constraint = *query.constraint;
  bool asks =
      constraint.required.valid() || constraint.preferred.valid() || !query.segments.empty();
  TopologyId id = asks ? find(constraint.topology) : query.scope_topology;
  if (!id.valid() || (*view_->topologies)[id].levels.empty()) return nullptr;
  ResolvedLevels levels;
  if (asks) {
    levels = resolve_levels((*view_->topologies)[id], constraint, view_->vocabulary->strings);
    if (levels.error != ReasonCode::None) return nullptr;
  }
  if (used == nullptr) used = std::make_unique<TopologyGroups>(*view_);
  static_cast<TopologyGroups&>(*used).begin(query, id, levels);
  return used;
}

}  // namespace trellis
