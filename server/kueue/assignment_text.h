// A topology assignment with the text of its names, as it is written. Flat, so that 150,000 domains
// are two arrays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "framework/string_table.h"
#include "framework/workload.h"

namespace trellis {

struct AssignmentText {
  // Both must outlive it.
  AssignmentText(const TopologyAssignment& assignment, const StringTable& strings)
      : counts(assignment.counts) {
    levels.reserve(assignment.levels.size());
    for (StrId level : assignment.levels) levels.push_back(strings.view(level));
    values.reserve(assignment.values.size());
    for (StrId value : assignment.values) values.push_back(strings.view(value));
  }

  std::vector<std::string_view> levels;  // node labels, top down
  std::vector<std::string_view> values;  // of domain d at level l: [d * levels.size() + l]
  std::span<const int32_t> counts;       // pods of each domain

  size_t domains() const { return counts.size(); }
  std::string_view value(size_t domain, size_t level) const {
    return values[domain * levels.size() + level];
  }
};

}  // namespace trellis
