// PodDisruptionBudgets: how many of the pods that each budget selects may still leave in this
// cycle.
//
// A budget allows what its controller last reported, or less where more pods are unavailable by
// now.
// Cost: made once an action, O(pods x budgets); a query O(pods queried x budgets).
#pragma once

#include <span>
#include <vector>

#include "actions/victims/victim_set.h"

namespace trellis {

class DisruptionLimits {
 public:
  explicit DisruptionLimits(const PlacementContext& context);

  // Whether all these pods may leave together, after those that were evicted before.
  bool allow(std::span<const VictimUnit> units) const;
  // Counts these pods as evicted.
  void spend(std::span<const VictimUnit> units);

 private:
  std::vector<int64_t> count(std::span<const VictimUnit> units) const;

  std::vector<int64_t> left_;                           // by budget; may be negative
  IndexedVector<PodId, std::vector<uint32_t>> of_pod_;  // budgets; empty where there are none
};

}  // namespace trellis
