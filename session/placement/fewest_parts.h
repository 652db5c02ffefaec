// Finds, for pods of different sizes, the group that divides them among the fewest domains of the
// preferred level, once they have a place in one.
//
// Words: a part is a part of NodeGroup, a domain of the preferred level. For such pods the order of
// groups (topology/domain_rank.h) knows only the fewest parts that counts allow; a group may need
// more, and one that comes later fewer.
// Guarantees: the pods keep a place, and in no more parts than before; no group of the level needs
// fewer, unless half of the budget's work was too little to try all of them.
// Cost: nothing where the pods are in as few parts as counts allow; else what half of the budget
// allows.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "framework/plugin.h"
#include "session/placement/placement_context.h"
#include "session/placement/pod_rows.h"
#include "session/placement/search_budget.h"

namespace trellis {

class FewestParts {
 public:
  // The pods were placed since `before`.
  FewestParts(PlacementContext& context, SearchBudget& budget, Statement::Checkpoint before)
      : context_(context), budget_(budget), before_(before) {}

  // `groups`: those that come after `chosen`, where the pods are. Groups that were taken from them
  // and not chosen are appended to `passed`, in order. REQUIRES: no row is linked.
  void choose(std::span<const SearchRow> rows, NodeGroups& groups, NodeGroup& chosen,
              std::vector<NodeGroup>& passed);

 private:
  bool same_level(const NodeGroup& a, const NodeGroup& b) const;

  PlacementContext& context_;
  SearchBudget& budget_;
  Statement::Checkpoint before_;
};

}  // namespace trellis
