#include "session/placement/gang_rows.h"

#include <absl/container/flat_hash_map.h>

#include <algorithm>

namespace trellis {

std::vector<RowPods> group_rows(const Snapshot& snapshot, std::span<const PodId> pods) {
  std::vector<RowPods> rows;
  absl::flat_hash_map<uint32_t, size_t> index;  // of rows by class, once there are several
  size_t last = 0;
  for (PodId pod : pods) {
    PodClassId pod_class = snapshot.key(pod).pod_class;
    // Equal pods are mostly adjacent.
    if (rows.empty()) {
      rows.push_back({pod_class, {}});
    } else if (rows[last].pod_class != pod_class) {
      index.emplace(rows[last].pod_class.value, last);
      last = index.try_emplace(pod_class.value, rows.size()).first->second;
      if (last == rows.size()) rows.push_back({pod_class, {}});
    }
    rows[last].pods.push_back(pod);
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
    // The next in descending order: lowers the last count whose loss the rows after it can take.
    bool found = false;
    int64_t after = 0;  // what the rows after it give
    int64_t room = 0;   // and what they have
    for (size_t i = sizes.size(); i-- > 0 && !found;) {
      found = counts[i] > 0 && after < room;
      if (found) {
        --counts[i];
        fill_from(counts, i + 1, after + 1);
      }
      after += counts[i];
      room += sizes[i];
    }
    if (!found) break;
    choices.push_back(counts);
  }
  return choices;
}

}  // namespace trellis
