#include "session/placement/part_counts.h"

#include <algorithm>
#include <functional>

namespace trellis {

PartCounts::PartCounts(PlacementContext& context, std::span<const SearchRow> rows,
                       const NodeGroup& group, SearchBudget& budget) {
  for (const SearchRow& row : rows) {
    const auto& fits = context.fits().node_fits(row.pod_class, group.mode);
    Row& counted = rows_.emplace_back();
    counted.pods = static_cast<int64_t>(row.pods.size());
    for (const GroupPart& part : group.parts) {
      budget.spend(part.nodes.size());
      int64_t sum = 0;
      for (NodeId node : part.nodes) sum += fits[node];
      counted.counts.push_back(sum);
    }
  }
}

size_t PartCounts::fewest() const {
  size_t fewest = 0;
  for (const Row& row : rows_) {
    std::vector<int64_t> counts = row.counts;
    std::sort(counts.begin(), counts.end(), std::greater<>());
    size_t used = 0;
    int64_t left = row.pods;
    for (; left > 0 && used < counts.size(); ++used) left -= counts[used];
    fewest = std::max(fewest, left > 0 ? counts.size() + 1 : used);
  }
  return fewest;
}

bool PartCounts::take_all(std::span<const size_t> parts) const {
  return std::all_of(rows_.begin(), rows_.end(), [&](const Row& row) {
    int64_t sum = 0;
    for (size_t part : parts) sum += row.counts[part];
    return sum >= row.pods;
  });
}

}  // namespace trellis
