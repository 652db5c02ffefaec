#include "session/placement/mixed_search.h"

#include <algorithm>
#include <numeric>

#include "session/placement/arrangement_search.h"
#include "session/placement/linked_search.h"

namespace trellis {

void MixedSearch::begin(std::span<const SearchRow> rows, const NodeGroup& group) {
  mode_ = group.mode;
  rows_ = hardest_first(context_, rows, mode_, budget_);
}

bool MixedSearch::place(std::span<const SearchRow> rows, const NodeGroup& group) {
  FitCache& known = context_.fits();
  bool plain = std::all_of(rows.begin(), rows.end(),
                           [&](const SearchRow& row) { return known.plain(row.pod_class); });
  if (!plain) return LinkedSearch(context_, budget_).place(rows, group);
  begin(rows, group);

  Statement& statement = context_.statement();
  Statement::Checkpoint start = statement.checkpoint();
  size_t used = fill_in_order(group);
  if (used == 1) return true;
  if (used == 0) return try_sets(group, group.parts.size(), budget_);
  statement.rollback(start);
  SearchBudget half = budget_.part(2);
  bool fewer = try_sets(group, used - 1, half);
  budget_.charge(half);
  return fewer || fill_in_order(group) > 0;
}

bool MixedSearch::place_in(std::span<const SearchRow> rows, const NodeGroup& group, size_t most) {
  begin(rows, group);
  return try_sets(group, most, budget_);
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

// Tries all sets of up to so many parts, smallest first.
bool MixedSearch::try_sets(const NodeGroup& group, size_t most, SearchBudget& budget) {
  PartCounts counts(context_, rows_, group, budget);
  most = std::min(most, group.parts.size());
  // Of all sets of a size the largest parts are the most likely to do.
  std::vector<size_t> order = counts.largest_first();
  for (size_t parts = counts.fewest(); parts <= most && !budget.exhausted(); ++parts) {
    bool several = parts < order.size();
    if (several && try_set(std::span(order).first(parts), group, counts, budget)) return true;
    if (try_sets_of(parts, group, counts, budget)) return true;
  }
  return false;
}

bool MixedSearch::arrange(std::span<const NodeId> nodes, SearchBudget& budget) {
  std::vector<BoundRow> bound;
  for (const SearchRow& row : rows_) bound.push_back({row, nodes});
  return PodArrangement(context_, budget, mode_).place(bound);
}

bool MixedSearch::try_set(std::span<const size_t> parts, const NodeGroup& group,
                          const PartCounts& counts, SearchBudget& budget) {
  if (!counts.take_all(parts)) return false;
  std::vector<NodeId> nodes;
  for (size_t index : parts) {
    const GroupPart& part = group.parts[index];
    nodes.insert(nodes.end(), part.nodes.begin(), part.nodes.end());
  }
  return arrange(nodes, budget);
}

// Tries all sets of that many parts, early parts first.
bool MixedSearch::try_sets_of(size_t parts, const NodeGroup& group, const PartCounts& counts,
                              SearchBudget& budget) {
  std::vector<size_t> chosen(parts);
  std::iota(chosen.begin(), chosen.end(), size_t{0});
  while (budget.spend(parts * rows_.size())) {
    if (try_set(chosen, group, counts, budget)) return true;
    size_t at = parts;
    while (at > 0 && chosen[at - 1] == group.parts.size() - parts + at - 1) --at;
    if (at == 0) return false;
    ++chosen[at - 1];
    for (size_t next = at; next < parts; ++next) chosen[next] = chosen[next - 1] + 1;
  }
  return false;
}

}  // namespace trellis
