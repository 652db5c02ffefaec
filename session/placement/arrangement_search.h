// Places all units of a gang by trying every choice of required domains, and in each every
// arrangement of pods: for pods of different sizes, where unit_search.h found nothing.
//
// Guarantees: on false the statement is as it was; if the budget is not exhausted, no arrangement
// exists.
// Cost: what the budget has left; gangs of more than kMostPods pods are not tried (the budget
// counts as exhausted).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "session/placement/placement_context.h"
#include "session/placement/placement_unit.h"
#include "session/placement/pod_arrangement.h"

namespace trellis {

class ArrangementSearch {
 public:
  static constexpr size_t kMostPods = 64;

  // `mode`: the only one to place in; unset: now, else promised.
  ArrangementSearch(PlacementContext& context, SearchBudget& budget, std::optional<FitMode> mode)
      : context_(context), budget_(budget), mode_(mode) {}

  // REQUIRES: segments are units of their own (SegmentForm::Units).
  bool place(std::span<const PlacementUnit> units);

 private:
  // Where a unit may be: one of these domains of its required level; none: where its parent is.
  struct Choice {
    TopologyId topology;
    std::vector<DomainId> domains;
    size_t turn = 0;
    bool bound = false;
  };

  bool place_in(FitMode mode);
  Choice choices_for(size_t unit, FitMode mode) const;
  bool holds(size_t unit, TopologyId topology, DomainId domain, FitMode mode) const;
  bool arrange(FitMode mode);
  std::vector<NodeId> nodes_for(size_t unit) const;

  PlacementContext& context_;
  SearchBudget& budget_;
  std::optional<FitMode> mode_;
  std::span<const PlacementUnit> units_;
  std::vector<Choice> choices_;  // by unit, as far as they are made
};

}  // namespace trellis
