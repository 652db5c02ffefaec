#include "session/placement/mixed_search.h"

#include <algorithm>
#include <numeric>

#include "session/placement/arrangement_search.h"
#include "session/placement/linked_search.h"

namespace trellis {

bool MixedSearch::place(std::span<const SearchRow> rows, const NodeGroup& group) {
  FitCache& known = context_.fits();
  bool plain = std::all_of(rows.begin(), rows.end(),
                           [&](const SearchRow& row) { return known.plain(row.pod_class); });
  if (!plain) return LinkedSearch(context_, budget_).place(rows, group);
  mode_ = group.mode;
  rows_ = hardest_first(context_, rows, mode_, budget_);

  Statement& statement = context_.statement();
  Statement::Checkpoint start = statement.checkpoint();
  size_t parts_used = fill_in_order(group);
  if (parts_used == 1) return true;
  statement.rollback(start);
  bool greedy_found = parts_used > 0;
  size_t most = greedy_found ? parts_used - 1 : group.parts.size();
  for (size_t parts = 1; parts <= most && !budget_.exhausted(); ++parts) {
    if (try_sets_of(parts, group)) return true;
  }
  if (!greedy_found) return false;
  budget_.forgive();  // only a smaller set was not found in time
  return fill_in_order(group) > 0;
}

// Each part takes what it can, rows in order. Returns the number of parts used; 0, and nothing
// placed, when they do not hold all pods.
size_t MixedSearch::fill_in_order(const NodeGroup& group) {
  Statement::Checkpoint start = context_.statement().checkpoint();
  std::vector<SearchRow> left = rows_;
  size_t used = 0;
  for (const GroupPart& part : group.parts) {
    size_t placed = 0;
    for (SearchRow& row : left) {
      if (row.pods.empty()) continue;
      size_t count = fill_nodes(context_, row, part.nodes, mode_, budget_);
      row.pods = row.pods.subspan(count);
      placed += count;
    }
    if (placed > 0) ++used;
  }
  bool all =
      std::all_of(left.begin(), left.end(), [](const SearchRow& row) { return row.pods.empty(); });
  if (all) return used;
  context_.statement().rollback(start);
  return 0;
}

bool MixedSearch::holds_by_count(std::span<const NodeId> nodes) {
  budget_.spend(nodes.size() * rows_.size());
  return std::all_of(rows_.begin(), rows_.end(), [&](const SearchRow& row) {
    const auto& fits = context_.fits().node_fits(row.pod_class, mode_);
    int64_t sum = 0;
    for (NodeId node : nodes) sum += fits[node];
    return sum >= static_cast<int64_t>(row.pods.size());
  });
}

bool MixedSearch::arrange(std::span<const NodeId> nodes) {
  std::vector<BoundRow> bound;
  for (const SearchRow& row : rows_) bound.push_back({row, nodes});
  return PodArrangement(context_, budget_, mode_).place(bound);
}

// Tries all sets of that many parts, early parts first.
bool MixedSearch::try_sets_of(size_t parts, const NodeGroup& group) {
  std::vector<size_t> chosen(parts);
  std::iota(chosen.begin(), chosen.end(), size_t{0});
  std::vector<NodeId> nodes;
  while (budget_.spend(parts)) {
    nodes.clear();
    for (size_t index : chosen) {
      const GroupPart& part = group.parts[index];
      nodes.insert(nodes.end(), part.nodes.begin(), part.nodes.end());
    }
    if (holds_by_count(nodes) && arrange(nodes)) return true;
    size_t at = parts;
    while (at > 0 && chosen[at - 1] == group.parts.size() - parts + at - 1) --at;
    if (at == 0) return false;
    ++chosen[at - 1];
    for (size_t next = at; next < parts; ++next) chosen[next] = chosen[next - 1] + 1;
  }
  return false;
}

}  // namespace trellis
