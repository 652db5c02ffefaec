// Places pods of a linked class one by one, each where it fits best at that moment.
//
// A group of nodes that the links refuse is set aside until a placement may have changed that.
// Cost: amortised O(groups + pods x log nodes); where scores depend on other pods, O(groups) a pod.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "session/fits/node_ranking.h"
#include "session/placement/placement_context.h"
#include "session/placement/pod_rows.h"

namespace trellis {

class LinkedFill {
 public:
  LinkedFill(PlacementContext& context, const SearchRow& row, std::span<const NodeId> nodes,
             FitMode mode, SearchBudget& budget);

  // Returns the number of pods placed: not all when that takes far more work than is left.
  size_t run();

 private:
  void place_next(uint32_t group);
  void follow(uint32_t position);
  void score_groups();
  void set_aside(uint32_t group);
  void take_back_in();
  void leave_as_found();

  PlacementContext& context_;
  const SearchRow& row_;
  std::span<const NodeId> nodes_;
  FitMode mode_;
  SearchBudget& budget_;
  bool kept_;    // the ranking is the fit cache's, which follows the change log
  bool scored_;  // scores depend on other pods
  LinkedRanking own_;
  LinkedRanking* ranking_;
  std::vector<uint32_t> aside_;    // groups
  std::vector<uint32_t> refused_;  // positions of nodes that had no device to grant
  size_t placed_ = 0;
};

}  // namespace trellis
