// Places rows of which some are linked (framework/plugin.h, PodLinks) in a group of nodes:
// greedily, then by bounded backtracking over the order of the pods as well.
//
// Words: a row is *bound* when the place of its first pod excludes the other pods elsewhere, as
// required affinity to itself does; a *site* is a set of nodes that could hold a bound row
// together. Sites are tried best node first; sites without enough room are not tried.
// Guarantees: false without an exhausted budget means that no order of placements, each valid when
// it is made, places the pods.
// Cost: greedy, that of linked_fill.h for each site that is tried.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_set>
#include <vector>

#include "framework/plugin.h"
#include "session/fits/node_ranking.h"
#include "session/placement/bound_rows.h"
#include "session/placement/placement_context.h"

namespace trellis {

class LinkedSearch {
 public:
  LinkedSearch(PlacementContext& context, SearchBudget& budget)
      : context_(context), budget_(budget) {}

  // On false the statement is as it was.
  bool place(std::span<const SearchRow> rows, const NodeGroup& group);
  // The same for rows that have nodes of their own, by backtracking alone.
  bool arrange(std::span<const BoundRow> rows, FitMode mode);

 private:
  struct Site {
    uint32_t number = 0;
    double best = 0;
    uint32_t first = 0;  // position of the best node
    int64_t fit = 0;
  };
  struct Sites {
    std::vector<Site> sites;
    LinkedRanking own;  // where the fit cache keeps none of the nodes
    const LinkedRanking* ranking = nullptr;
    std::vector<uint32_t> of_group;  // number of its site
  };
  // A way to go on in the backtracking.
  struct Step {
    size_t row = 0;
    size_t node = 0;  // index into the row's order
  };
  struct Frame {
    Step next;
    Statement::Checkpoint before;
    uint64_t state = 0;
    Step taken;
    std::unordered_set<uint64_t> tried;  // only looked up, never iterated
  };

  void order_rows(std::span<const SearchRow> rows);
  bool needs(const SearchRow& row, const SearchRow& other) const;
  bool enough_room(std::span<const NodeId> nodes);
  bool enough_values(std::span<const NodeId> nodes);
  bool fill(std::span<const GroupPart> parts);
  bool fill_rows(std::vector<SearchRow> left, std::span<const GroupPart> parts);
  bool fill_bound(size_t row, std::span<const StrId> keys, std::span<const GroupPart> parts);
  Sites sites_of(size_t row, std::span<const StrId> keys, std::span<const NodeId> nodes);
  std::vector<StrId> binding_keys(size_t row) const;
  size_t first_bound() const;
  bool stands_alone(size_t row) const;
  bool have_room(std::span<const BoundRow> rows);
  void note_order();
  bool backtrack();
  bool advance(Frame& frame, std::span<const size_t> placed);
  std::vector<NodeId> order_for(size_t row, std::span<const NodeId> nodes);
  uint64_t signature(size_t row, NodeId node);

  PlacementContext& context_;
  SearchBudget& budget_;
  FitMode mode_ = FitMode::Now;
  std::vector<SearchRow> rows_;
  bool ruled_out_ = false;  // no site of a bound row has room, so nothing else can help
  bool any_order_ = false;  // one order of rows is as good as another
  std::vector<std::vector<NodeId>> orders_;  // by row: nodes to try
  NodeUsers open_to_;                        // where rows have nodes of their own
  std::vector<StrId> keys_;                  // link keys of all rows
  std::unordered_set<uint64_t> dead_ends_;   // states that led nowhere; only looked up
};

}  // namespace trellis
