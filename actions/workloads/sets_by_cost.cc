#include "actions/workloads/sets_by_cost.h"

#include <algorithm>
#include <bit>
#include <tuple>

namespace trellis {

std::vector<uint32_t> sets_by_cost(std::span<const int32_t> priorities) {
  auto cost = [&](uint32_t set) {
    int32_t highest = INT32_MIN;
    for (size_t i = 0; i < priorities.size(); ++i) {
      if ((set >> i & 1U) != 0) highest = std::max(highest, priorities[i]);
    }
    return std::tuple(std::popcount(set), highest, set);
  };
  std::vector<uint32_t> sets;
  for (uint32_t set = 1; set < (1U << priorities.size()); ++set) sets.push_back(set);
  std::sort(sets.begin(), sets.end(), [&](uint32_t a, uint32_t b) { return cost(a) < cost(b); });
  return sets;
}

}  // namespace trellis
