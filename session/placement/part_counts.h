// How many pods of each row the parts of a group take, by count.
//
// Words: a part is a part of NodeGroup, a domain of the preferred level.
// Cost: to make it O(nodes of the group x rows); fewest() O(rows x parts log parts).
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

  // The fewest parts that take each row by itself: no fewer take all of them together. More than
  // there are parts: some row has no room.
  size_t fewest() const;
  // Whether these parts take each row by itself.
  bool take_all(std::span<const size_t> parts) const;

 private:
  struct Row {
    int64_t pods = 0;
    std::vector<int64_t> counts;  // by part
  };

  std::vector<Row> rows_;
};

}  // namespace trellis
