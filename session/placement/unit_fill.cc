#include "session/placement/unit_fill.h"

#include <algorithm>
#include <vector>

#include "framework/topology_levels.h"
#include "session/placement/divided_fill.h"
#include "session/placement/mixed_search.h"
#include "topology/tree.h"

namespace trellis {
namespace {

// The group's parts; the parts of one domain of the preferred level are joined.
std::vector<GroupPart> preferred_parts(const PlacementContext& context, const PlacementUnit& unit,
                                       const NodeGroup& group) {
  const Cluster& cluster = context.cluster();
  const TopologyTree& tree = context.snapshot().tree(group.topology);
  int level = resolve_levels(cluster.topologies()[group.topology], unit.constraint,
                             cluster.vocabulary().strings)
                  .preferred;
  std::vector<GroupPart> merged;
  DomainId last;
  for (const GroupPart& part : group.parts) {
    DomainId domain = tree.ancestor(tree.domain_of(part.nodes.front()), level);
    if (domain.valid() && domain == last) {
      merged.back().pods += part.pods;
    } else if (domain.valid()) {
      merged.push_back({tree.nodes(domain), part.pods});
    } else {
      merged.push_back(part);
    }
    last = domain;
  }
  return merged;
}

}  // namespace

std::vector<SearchRow> search_rows(const PlacementUnit& unit) {
  std::vector<SearchRow> rows;
  for (const RowPods& row : unit.rows) rows.push_back({row.pod_class, row.pods});
  return rows;
}

bool UnitFill::fill(const PlacementUnit& unit, const GroupQuery& query, const NodeGroup& group) {
  if (std::optional<bool> filled = fill_by_preferences(unit, query, group)) return *filled;
  return fill_anyhow(unit, group);
}

// nullopt: the pods have no preferences, or there may be another way.
std::optional<bool> UnitFill::fill_by_preferences(const PlacementUnit& unit,
                                                  const GroupQuery& query, const NodeGroup& group) {
  // What the constraint itself divides: segments, domains of a preferred level, another scope.
  bool foreign = has_foreign_scope(query, group.topology);
  bool prefers = unit.constraint.preferred.valid();
  bool by_parts =
      group.topology.valid() && group.exact && (!unit.segments.empty() || prefers || foreign);
  std::vector<GroupPart> parts;
  if (by_parts && prefers && unit.segments.empty() && !foreign) {
    parts = preferred_parts(context_, unit, group);
  } else if (by_parts) {
    parts.assign(group.parts.begin(), group.parts.end());
  }
  switch (fill_divided(context_, unit, group, parts, budget_)) {
    case DividedFill::NotAsked:
    case DividedFill::Unknown:
      return std::nullopt;
    case DividedFill::Placed:
      return true;
    case DividedFill::Refused:
      budget_.give_up();  // other ways that would keep the demand are not tried
      return false;
    case DividedFill::NoRoom:
      return false;
  }
  return std::nullopt;
}

bool UnitFill::fill_anyhow(const PlacementUnit& unit, const NodeGroup& group) {
  if (!group.topology.valid()) {
    bool equal = unit.rows.size() == 1 && context_.fits().plain(unit.rows.front().pod_class);
    if (equal) return fill_cluster(unit, group.mode);
    NodeGroup all;
    all.mode = group.mode;
    all.exact = false;
    all.parts.push_back({context_.snapshot().all_nodes().node_order(), 0});
    return MixedSearch(context_, budget_).place(search_rows(unit), all);
  }
  if (!group.exact) return MixedSearch(context_, budget_).place(search_rows(unit), group);
  return fill_parts(unit, group);
}

bool UnitFill::fill_parts(const PlacementUnit& unit, const NodeGroup& group) {
  Statement::Checkpoint start = context_.statement().checkpoint();
  const RowPods& row = unit.rows.front();
  std::span<const PodId> left = row.pods;
  for (const GroupPart& part : group.parts) {
    size_t count = std::min(left.size(), static_cast<size_t>(part.pods));
    left = left.subspan(
        fill_nodes(context_, {row.pod_class, left.first(count)}, part.nodes, group.mode, budget_));
  }
  if (left.empty()) return true;
  context_.statement().rollback(start);
  return false;
}

// For all nodes the kept ranking is enough: one pod changes one node of it, not the cluster.
bool UnitFill::fill_cluster(const PlacementUnit& unit, FitMode mode) {
  const RowPods& row = unit.rows.front();
  int64_t followers = static_cast<int64_t>(row.pods.size());
  if (context_.fits().total(row.pod_class, mode) < followers) return false;
  Statement& statement = context_.statement();
  Statement::Checkpoint start = statement.checkpoint();
  for (PodId pod : row.pods) {
    --followers;
    NodeId best = context_.fits().best_node(row.pod_class, mode);
    if (!best.valid() || !statement.place(pod, best, mode, followers)) {
      statement.rollback(start);
      return false;
    }
  }
  return true;
}

}  // namespace trellis
