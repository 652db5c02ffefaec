#include "actions/workloads/assignment_order.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace trellis {

void sort_domains(TopologyAssignment& assignment, const StringTable& strings) {
  size_t levels = assignment.levels.size();
  std::vector<std::string_view> names;
  names.reserve(assignment.values.size());
  for (StrId value : assignment.values) names.push_back(strings.view(value));
  auto before = [&](uint32_t a, uint32_t b) {
    return std::ranges::lexicographical_compare(std::span(names).subspan(a * levels, levels),
                                                std::span(names).subspan(b * levels, levels));
  };
  std::vector<uint32_t> order(assignment.size());
  std::iota(order.begin(), order.end(), 0U);
  if (std::is_sorted(order.begin(), order.end(), before)) return;
  std::stable_sort(order.begin(), order.end(), before);

  TopologyAssignment sorted{.levels = std::move(assignment.levels)};
  sorted.values.reserve(assignment.values.size());
  sorted.counts.reserve(assignment.counts.size());
  for (uint32_t domain : order) {
    auto path = std::span(assignment.values).subspan(domain * levels, levels);
    sorted.values.insert(sorted.values.end(), path.begin(), path.end());
    sorted.counts.push_back(assignment.counts[domain]);
  }
  assignment = std::move(sorted);
}

}  // namespace trellis
