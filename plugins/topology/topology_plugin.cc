#include "plugins/topology/topology_plugin.h"

#include <algorithm>

namespace trellis {
namespace {

// Counts are bounds where pods differ; some rows' bounds are enough, and so many stay kept at once.
constexpr size_t kMostCountedRows = 16;

}  // namespace

void TopologyPlugin::open(const View& view, Hooks& hooks) {
  view_ = &view;
  hooks.feasible_nodes = this;
}

Reason TopologyPlugin::refusal(GangId gang) const {
  const TopologyConstraint& constraint = (*view_->gangs)[gang].topology;
  const StringTable& strings = view_->vocabulary->strings;
  Reason reason;
  reason.plugin = name();
  if (constraint.empty()) return {};
  if (!constraint.topology.valid()) {
    StrId level = constraint.required.valid() ? constraint.required : constraint.preferred;
    reason.code = ReasonCode::TopologyNotNamed;
    reason.subject = strings.view(level);
    return reason;
  }
  reason.topology = strings.view(constraint.topology);
  for (const Topology& topology : *view_->topologies) {
    if (topology.name != reason.topology) continue;
    ResolvedLevels levels = resolve_levels(topology, constraint, strings);
    if (levels.error == ReasonCode::None) return {};
    reason.code = levels.error;
    reason.subject = strings.view(levels.subject);
    return reason;
  }
  reason.code = ReasonCode::TopologyNotFound;
  reason.subject = reason.topology;
  return reason;
}

bool TopologyPlugin::resolve(GangId gang) {
  const TopologyConstraint& constraint = (*view_->gangs)[gang].topology;
  const StringTable& strings = view_->vocabulary->strings;
  if (!constraint.topology.valid()) return false;
  if (!constraint.required.valid() && !constraint.preferred.valid()) return false;
  std::string_view wanted = strings.view(constraint.topology);
  for (uint32_t i = 0; i < view_->topologies->size(); ++i) {
    const Topology& topology = (*view_->topologies)[TopologyId(i)];
    if (topology.name != wanted || topology.levels.empty()) continue;
    topology_ = TopologyId(i);
    tree_ = &(*view_->trees)[topology_];
    levels_ = resolve_levels(topology, constraint, strings);
    deepest_ = tree_->level_count() - 1;
    deepest_group_ = tree_->deepest_is_node() ? deepest_ - 1 : deepest_;
    return levels_.error == ReasonCode::None;
  }
  return false;
}

// A gang that partly runs stays in the required domains where it runs, fullest first.
void TopologyPlugin::choose_scopes(std::span<const NodeId> placed) {
  std::vector<DomainId> anchors;
  for (NodeId node : placed) {
    if (tree_->contains(node)) anchors.push_back(tree_->domain_of(node));
  }
  closeness_ = Closeness(*tree_, anchors);
  scopes_.clear();
  if (levels_.required >= 0) {
    for (DomainId anchor : anchors) {
      DomainId domain = tree_->ancestor(anchor, levels_.required);
      if (domain.valid()) scopes_.push_back(domain);
    }
    std::sort(scopes_.begin(), scopes_.end());
    scopes_.erase(std::unique(scopes_.begin(), scopes_.end()), scopes_.end());
    std::stable_sort(scopes_.begin(), scopes_.end(), [&](DomainId a, DomainId b) {
      return closeness_.of(*tree_, a) > closeness_.of(*tree_, b);
    });
  }
  if (scopes_.empty()) scopes_.push_back(tree_->root());
}

bool TopologyPlugin::begin(GangId gang, std::span<const GangRow> rows,
                           std::span<const NodeId> placed) {
  if (!resolve(gang)) return false;
  rows_.assign(rows.begin(), rows.end());
  choose_scopes(placed);
  cursor_ = {first_level(), FitMode::Now, 0, std::nullopt};
  load_counts();
  return true;
}

void TopologyPlugin::load_counts() {
  demands_.clear();
  for (const GangRow& row : rows_) {
    if (demands_.size() == kMostCountedRows) break;
    demands_.push_back(
        {&view_->counts->domain_counts(topology_, row.pod_class, cursor_.mode), row.count});
  }
  // The row that fewest domains can take leads.
  auto hardest = std::min_element(demands_.begin(), demands_.end(),
                                  [&](const RowDemand& a, const RowDemand& b) {
                                    return (*a.counts)[tree_->root()] < (*b.counts)[tree_->root()];
                                  });
  std::rotate(demands_.begin(), hardest, hardest + 1);
}

DomainQuery TopologyPlugin::query() const {
  return {tree_, demands_, view_->config->placement_strategy.domain, &closeness_};
}

// The next scope, mode or level; false after the last.
bool TopologyPlugin::advance() {
  cursor_.last.reset();
  if (++cursor_.scope < scopes_.size()) return true;
  cursor_.scope = 0;
  if (cursor_.mode == FitMode::Now && view_->counts->anything_leaving()) {
    cursor_.mode = FitMode::Future;
  } else {
    cursor_.mode = FitMode::Now;
    --cursor_.level;
    int bound = levels_.required;  // -1: the root
    if (cursor_.level < bound) return false;
  }
  return true;
}

bool TopologyPlugin::next(NodeGroup& group) {
  load_counts();
  while (cursor_.level >= levels_.required) {
    const DomainRank* after = cursor_.last ? &*cursor_.last : nullptr;
    auto found = best_domain(query(), cursor_.level, scopes_[cursor_.scope], after);
    if (found) {
      cursor_.last = found;
      make_group(found->domain, group);
      return true;
    }
    FitMode mode = cursor_.mode;
    if (!advance()) return false;
    if (cursor_.mode != mode) load_counts();
  }
  return false;
}

void TopologyPlugin::make_group(DomainId domain, NodeGroup& group) const {
  group.topology = topology_;
  group.domain = domain;
  group.mode = cursor_.mode;
  group.exact = rows_.size() == 1 && view_->counts->exact(rows_.front().pod_class);
  group.parts.clear();
  int level = tree_->level_of(domain);
  // Preferred hosts are preferred hosts; else single nodes are left to the scores.
  int split = levels_.preferred >= 0 ? levels_.preferred : deepest_group_;
  if (!group.exact) {
    std::vector<DomainPart> parts{{domain, false, 0, 0}};
    if (level < split) parts = ordered_parts(query(), domain, split);
    for (const DomainPart& part : parts) group.parts.push_back(as_group_part(part));
    return;
  }
  DomainPart whole{domain, false, (*demands_.front().counts)[domain], demands_.front().pods};
  if (level < split) {
    add_divided(divide(query(), domain, split), split, group);
  } else {
    add_divided({whole}, level, group);
  }
}

// Divides parts that stand at `level` further, a level at a time.
void TopologyPlugin::add_divided(std::vector<DomainPart> parts, int level, NodeGroup& group) const {
  for (; level < deepest_group_; ++level) {
    std::vector<DomainPart> finer;
    for (const DomainPart& part : parts) {
      if (part.own_nodes_only || tree_->level_of(part.domain) != level) {
        finer.push_back(part);
        continue;
      }
      RowDemand share{demands_.front().counts, part.pods};
      DomainQuery inside = query();
      inside.rows = {&share, 1};
      for (const DomainPart& child : divide(inside, part.domain, level + 1)) {
        finer.push_back(child);
      }
    }
    parts = std::move(finer);
  }
  for (const DomainPart& part : parts) group.parts.push_back(as_group_part(part));
}

GroupPart TopologyPlugin::as_group_part(const DomainPart& part) const {
  auto nodes = part.own_nodes_only ? tree_->own_nodes(part.domain) : tree_->nodes(part.domain);
  return {nodes, part.pods};
}

}  // namespace trellis
