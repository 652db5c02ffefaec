// How many pods of each row the parts of a group take, by count, and what they have free of what
// all rows together request.
//
// Words: a part is a part of NodeGroup, a domain of the preferred level.
// Cost: to make it O(nodes of the group x (rows + resources)); fewest() O((rows + resources) x
// parts log parts).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "framework/plugin.h"
#include "session/placement/placement_context.h"
#include "session/placement/pod_rows.h"
#include "session/placement/search_budget.h"

namespace trellis {

class PartCounts {
 public:
  // The budget pays for what is counted.
  PartCounts(PlacementContext& context, std::span<const SearchRow> rows, const NodeGroup& group,
             SearchBudget& budget);

  // The fewest parts that may take all rows: no fewer do. More than there are parts: all of them
  // have no room.
  size_t fewest() const { return fewest(demands_); }
  // The same if each row came by itself: never more.
  size_t fewest_by_row() const { return fewest(std::span(demands_).first(rows_)); }
  // All parts, those first that have most of what the fewest of them hold. In ascending order of
  // their index where they tie.
  std::vector<size_t> largest_first() const;
  // Whether these parts may take all rows.
  bool take_all(std::span<const size_t> parts) const;

 private:
  struct Demand {
    int64_t needed = 0;         // pods, or an amount of a resource
    std::vector<int64_t> room;  // by part
  };

  void add_resources(PlacementContext& context, std::span<const SearchRow> rows,
                     const NodeGroup& group, SearchBudget& budget);
  static size_t fewest(std::span<const Demand> demands);

  std::vector<Demand> demands_;  // of the rows, then of the resources
  size_t rows_ = 0;
};

}  // namespace trellis
