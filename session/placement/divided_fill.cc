#include "session/placement/divided_fill.h"

#include <algorithm>
#include <vector>

#include "session/placement/pod_rows.h"

namespace trellis {
namespace {

class DividedFiller {
 public:
  // `waiting`: as in DivisionQuery.
  DividedFiller(PlacementContext& context, FitMode mode, int64_t waiting, SearchBudget& budget)
      : context_(context),
        divider_(*context.hooks().pod_divider),
        mode_(mode),
        waiting_(waiting),
        budget_(budget) {}

  // Places the row's pods, in order; returns how many found a place.
  size_t fill(const SearchRow& row, std::span<const NodeId> nodes) {
    if (!divider_.divides(row.pod_class)) {
      std::span<const NodeId> all = context_.snapshot().all_nodes().node_order();
      return fill_nodes(context_, row, nodes.empty() ? all : nodes, mode_, budget_);
    }
    if (context_.fits().exact(row.pod_class)) return place(row, nodes);
    size_t placed = 0;
    while (placed < row.pods.size() && budget_.go_on(0) &&
           place_linked({row.pod_class, row.pods.subspan(placed, 1)}, nodes)) {
      ++placed;
    }
    return placed;
  }

 private:
  size_t place(const SearchRow& row, std::span<const NodeId> nodes) {
    DivisionQuery query{.pod_class = row.pod_class,
                        .mode = mode_,
                        .nodes = nodes,
                        .pods = static_cast<int64_t>(row.pods.size()),
                        .waiting = waiting_,
                        .now = context_.now()};
    budget_.spend(nodes.empty() ? context_.snapshot().all_nodes().node_order().size()
                                : nodes.size());
    size_t placed = 0;
    for (const NodePods& part : divider_.divide(query)) {
      for (int32_t left = part.pods; left > 0 && placed < row.pods.size(); --left) {
        if (!context_.statement().place(row.pods[placed], part.node, mode_, left - 1)) break;
        ++placed;
      }
    }
    return placed;
  }

  // Places one pod, among the nodes that its terms about other pods allow now.
  bool place_linked(const SearchRow& pod, std::span<const NodeId> nodes) {
    if (nodes.empty()) nodes = context_.snapshot().all_nodes().node_order();
    budget_.spend(kVerdictWork * nodes.size());
    allowed_.clear();
    for (NodeId node : nodes) {
      if (context_.fits().link_verdict(pod.pod_class, mode_, node).passes()) {
        allowed_.push_back(node);
      }
    }
    return !allowed_.empty() && place(pod, allowed_) == 1;
  }

  PlacementContext& context_;
  PodDivider& divider_;
  FitMode mode_;
  int64_t waiting_;
  SearchBudget& budget_;
  std::vector<NodeId> allowed_;
};

}  // namespace

bool has_preferences(const PlacementContext& context, const PlacementUnit& unit) {
  const PodDivider* divider = context.hooks().pod_divider;
  return divider != nullptr && std::ranges::any_of(unit.rows, [&](const RowPods& row) {
           return divider->divides(row.pod_class);
         });
}

DividedFill fill_divided(PlacementContext& context, const PlacementUnit& unit,
                         const NodeGroup& group, std::span<const GroupPart> parts,
                         SearchBudget& budget) {
  if (!has_preferences(context, unit)) return DividedFill::NotAsked;
  const PodDivider& divider = *context.hooks().pod_divider;
  bool refuses = std::ranges::any_of(
      unit.rows, [&](const RowPods& row) { return divider.may_refuse(row.pod_class); });

  Statement::Checkpoint start = context.statement().checkpoint();
  // The pods that the constraint divides among parts come all at once.
  GangId gang = context.snapshot().key(unit.rows.front().pods.front()).gang;
  bool all_come = parts.size() > 1 || !gang.valid();
  int64_t waiting = all_come ? 0 : context.snapshot().gang_counts()[gang].waiting;
  DividedFiller filler(context, group.mode, waiting, budget);
  bool all = true;
  for (const RowPods& row : unit.rows) {
    std::span<const PodId> left = row.pods;
    if (parts.empty()) {
      std::span<const NodeId> nodes;
      if (group.topology.valid())
        nodes = context.snapshot().tree(group.topology).nodes(group.domain);
      left = left.subspan(filler.fill({row.pod_class, left}, nodes));
    }
    for (const GroupPart& part : parts) {
      size_t count = std::min(left.size(), static_cast<size_t>(part.pods));
      if (count > 0)
        left = left.subspan(filler.fill({row.pod_class, left.first(count)}, part.nodes));
    }
    all = all && left.empty();
    if (!all) break;
  }
  if (all) return DividedFill::Placed;
  context.statement().rollback(start);
  bool counted = unit.rows.size() == 1 && context.fits().exact(unit.rows.front().pod_class);
  if (counted && parts.empty()) return DividedFill::NoRoom;
  return refuses ? DividedFill::Refused : DividedFill::Unknown;
}

}  // namespace trellis
