#include "session/placement/fewest_parts.h"

#include <algorithm>
#include <utility>

#include "session/placement/kept_places.h"
#include "session/placement/mixed_search.h"
#include "session/placement/part_counts.h"

namespace trellis {
namespace {

size_t parts_with(const NodeGroup& group, std::vector<NodeId> nodes) {
  std::sort(nodes.begin(), nodes.end());
  return static_cast<size_t>(std::ranges::count_if(group.parts, [&](const GroupPart& part) {
    return std::ranges::any_of(
        part.nodes, [&](NodeId node) { return std::ranges::binary_search(nodes, node); });
  }));
}

}  // namespace

bool FewestParts::same_level(const NodeGroup& a, const NodeGroup& b) const {
  if (a.mode != b.mode || a.topology != b.topology) return false;
  const TopologyTree& tree = context_.snapshot().tree(a.topology);
  return tree.level_of(a.domain) == tree.level_of(b.domain);
}

void FewestParts::choose(std::span<const SearchRow> rows, NodeGroups& groups, NodeGroup& chosen,
                         std::vector<NodeGroup>& passed) {
  std::vector<KeptPlace> best = places_since(context_, before_);
  auto used = [&] {
    std::vector<NodeId> nodes;
    for (const KeptPlace& kept : best) nodes.push_back(kept.node);
    return parts_with(chosen, std::move(nodes));
  };
  size_t fewest = used();
  if (fewest < 2) return;
  Statement& statement = context_.statement();
  statement.rollback(before_);
  SearchBudget half = budget_.part(2);
  auto may_be_better = [&](const NodeGroup& group) {
    return PartCounts(context_, rows, group, half).fewest_by_row() < fewest;
  };
  NodeGroup next;
  while (may_be_better(chosen) && !half.exhausted() && groups.next(next)) {
    passed.push_back(next);
    // In the order of groups those that counts allow the fewest parts come first.
    if (!same_level(next, chosen) || !may_be_better(next)) break;
    if (!MixedSearch(context_, half).place_in(rows, next, fewest - 1)) continue;
    std::swap(chosen, passed.back());
    best = places_since(context_, before_);
    fewest = used();
    statement.rollback(before_);
  }
  take_places(context_, best, chosen.mode);
  budget_.charge(half);
}

}  // namespace trellis
