// Places all units of a gang by trying every choice of required domains, and in each every
// arrangement of pods: for pods of different sizes, or with terms about each other, where
// unit_search.h found nothing.
//
// Guarantees: on false the statement is as it was; if the budget is not exhausted, no arrangement
// exists.
// Cost: what the budget has left; gangs of more than kMostPods pods are not tried (the budget
// counts as exhausted).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "framework/gpu_grant.h"
#include "framework/node_state.h"
#include "session/placement/bound_rows.h"
#include "session/placement/placement_context.h"
#include "session/placement/placement_unit.h"

namespace trellis {

// Tries every arrangement of pods on the nodes that each row may use, by bounded backtracking.
//
// Words: two nodes whose signature is equal (open to the same rows, same free columns, same
// devices, same fits) are alike: only the first of them is tried for a pod. Guarantees: false
// without an exhausted budget means that there is no arrangement. Cost: the budget pays for each
// node tried.

class PodArrangement {
 public:
  PodArrangement(PlacementContext& context, SearchBudget& budget, FitMode mode)
      : context_(context), budget_(budget), mode_(mode) {}

  // Rows in the order to place them. On false the statement is as it was.
  bool place(std::span<const BoundRow> rows);

 private:
  // A pod to place and its row.
  struct Item {
    PodId pod;
    size_t row = 0;
  };

  std::vector<NodeId> order_for(const BoundRow& row);
  uint64_t signature(NodeId node);
  std::vector<GpuGrant> device_choices(PodClassId pod_class, NodeId node);

  PlacementContext& context_;
  SearchBudget& budget_;
  FitMode mode_;
  std::span<const BoundRow> rows_;
  NodeUsers open_to_;
  bool choices_cut_ = false;  // some choices of devices were not looked at
};

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
