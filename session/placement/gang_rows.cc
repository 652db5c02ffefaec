#include "session/placement/gang_rows.h"

#include <algorithm>

namespace trellis {

std::vector<RowPods> group_rows(const Snapshot& snapshot, std::span<const PodId> pods) {
  std::vector<RowPods> rows;
  for (PodId pod : pods) {
    PodClassId pod_class = snapshot.key(pod).pod_class;
    auto same = [&](const RowPods& row) { return row.pod_class == pod_class; };
    // Equal pods mostly stand together.
    if (rows.empty() || rows.back().pod_class != pod_class) {
      auto row = std::find_if(rows.begin(), rows.end(), same);
      if (row != rows.end()) {
        row->pods.push_back(pod);
        continue;
      }
      rows.push_back({pod_class, {}});
    }
    rows.back().pods.push_back(pod);
  }
  return rows;
}

std::vector<std::vector<int64_t>> row_choices(std::span<const RowPods> rows, int64_t need,
                                              size_t most) {
  std::vector<int64_t> sizes;
  for (const RowPods& row : rows) sizes.push_back(static_cast<int64_t>(row.pods.size()));
  auto fill_from = [&](std::vector<int64_t>& counts, size_t first, int64_t left) {
    for (size_t i = first; i < sizes.size(); ++i) {
      counts[i] = std::min(left, sizes[i]);
      left -= counts[i];
    }
    return left == 0;
  };
  std::vector<std::vector<int64_t>> choices;
  std::vector<int64_t> counts(sizes.size(), 0);
  if (!fill_from(counts, 0, need)) return choices;
  choices.push_back(counts);
  while (choices.size() < most) {
    // The next in descending order: lower the last count whose loss the rows after it can take.
    bool found = false;
    for (size_t i = sizes.size(); i-- > 0 && !found;) {
      if (counts[i] == 0) continue;
      int64_t after = 0;
      for (size_t j = i + 1; j < sizes.size(); ++j) after += counts[j];
      std::vector<int64_t> next = counts;
      --next[i];
      found = fill_from(next, i + 1, after + 1);
      if (found) counts = std::move(next);
    }
    if (!found) break;
    choices.push_back(counts);
  }
  return choices;
}

}  // namespace trellis
