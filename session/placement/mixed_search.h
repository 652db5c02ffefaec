// Places pods of different sizes in a group of nodes: greedily, then by bounded backtracking.
//
// Words: a part is a part of NodeGroup, a domain of the preferred level. The search first fills
// parts greedily, in order; then looks for a smaller set of parts that holds the pods as well, or,
// if the greedy fill failed, for any such set (arrangement_search.h). Sets are tried smallest
// first, from the fewest parts that counts allow. Rows of which some are linked are placed by
// linked_search.h. Guarantees: false without an exhausted budget means that the group cannot hold
// the pods; of pods that are placed, that no smaller set of parts holds them, unless half of the
// budget's work was too little to try all of them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "framework/plugin.h"
#include "session/placement/part_counts.h"
#include "session/placement/placement_context.h"
#include "session/placement/pod_rows.h"
#include "session/placement/search_budget.h"

namespace trellis {

class MixedSearch {
 public:
  MixedSearch(PlacementContext& context, SearchBudget& budget)
      : context_(context), budget_(budget) {}

  // On false the statement is as it was.
  bool place(std::span<const SearchRow> rows, const NodeGroup& group);
  // The same in at most so many parts. REQUIRES: no row is linked.
  bool place_in(std::span<const SearchRow> rows, const NodeGroup& group, size_t most);

 private:
  void begin(std::span<const SearchRow> rows, const NodeGroup& group);
  size_t fill_in_order(const NodeGroup& group);
  bool try_sets(const NodeGroup& group, size_t most, SearchBudget& budget);
  bool try_set(std::span<const size_t> parts, const NodeGroup& group, const PartCounts& counts,
               SearchBudget& budget);
  bool try_sets_of(size_t parts, const NodeGroup& group, const PartCounts& counts,
                   SearchBudget& budget);
  bool arrange(std::span<const NodeId> nodes, SearchBudget& budget);

  PlacementContext& context_;
  SearchBudget& budget_;
  FitMode mode_ = FitMode::Now;
  std::vector<SearchRow> rows_;  // hardest to place first
};

}  // namespace trellis
