// A gang as rows: its waiting pods, equal ones together.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "framework/plugin.h"
#include "session/snapshot/snapshot.h"

namespace trellis {

struct RowPods {
  PodClassId pod_class;
  std::vector<PodId> pods;  // in the order to place them
};

// Rows in order of their first pod.
std::vector<RowPods> group_rows(const Snapshot& snapshot, std::span<const PodId> pods);

// Ways to choose `need` pods of rows of these sizes, as counts per row, the most of early rows
// first; at most `most` ways.
std::vector<std::vector<int64_t>> row_choices(std::span<const RowPods> rows, int64_t need,
                                              size_t most);

}  // namespace trellis
