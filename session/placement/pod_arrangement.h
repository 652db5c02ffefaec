// Tries every arrangement of pods on the nodes that each row may use, by bounded backtracking.
//
// Words: two nodes whose signature is equal (open to the same rows, same free columns, same
// devices, same fits) are alike: only the first of them is tried for a pod. Guarantees: false
// without an exhausted budget means that there is no arrangement. Cost: the budget pays for each
// node tried.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "framework/gpu_grant.h"
#include "framework/node_state.h"
#include "session/placement/placement_context.h"
#include "session/placement/search_row.h"

namespace trellis {

// Pods of one class and the nodes that they may be on.
struct BoundRow {
  SearchRow row;
  std::span<const NodeId> nodes;
};

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

  void note_who_may_use();
  std::vector<NodeId> order_for(const BoundRow& row);
  uint64_t signature(NodeId node);
  std::vector<GpuGrant> device_choices(PodClassId pod_class, NodeId node);

  PlacementContext& context_;
  SearchBudget& budget_;
  FitMode mode_;
  std::span<const BoundRow> rows_;
  std::unordered_map<uint32_t, uint64_t> open_to_;  // by node: hash of the rows; never iterated
  bool choices_cut_ = false;                        // some choices of devices were not looked at
};

}  // namespace trellis
