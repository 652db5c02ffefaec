#include "actions/victims/disruption_limits.h"

#include <algorithm>

#include "framework/pod_terms.h"

namespace trellis {
DisruptionLimits::DisruptionLimits(const Session& /*session*/) {}

std::vector<int64_t> DisruptionLimits::count(std::span<const VictimUnit> units) const {
  std::vector<int64_t> pods(left_.size(), 0);
  for (const VictimUnit& unit : units) {
    for (PodId pod : unit.pods) {
      for (uint32_t budget : of_pod_[pod]) ++pods[budget];
    }
  }
  return pods;
}

bool DisruptionLimits::allow(std::span<const VictimUnit> units) const {
  if (left_.empty()) return true;
  std::vector<int64_t> pods = count(units);
  for (size_t budget = 0; budget < left_.size(); ++budget) {
    if (pods[budget] > 0 && pods[budget] > left_[budget]) return false;
  }
  return true;
}

void DisruptionLimits::spend(std::span<const VictimUnit> units) {
  if (left_.empty()) return;
  std::vector<int64_t> pods = count(units);
  for (size_t budget = 0; budget < left_.size(); ++budget) left_[budget] -= pods[budget];
}

bool DisruptionLimits::allows(PodId pod) const {
  if (left_.empty()) return true;
  return std::all_of(of_pod_[pod].begin(), of_pod_[pod].end(),
                     [&](uint32_t budget) { return left_[budget] > 0; });
}

}  // namespace trellis
