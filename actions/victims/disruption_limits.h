// PodDisruptionBudgets: how many of the pods that each selects may still leave in this cycle.
//
// A budget's word is what its controller last said, or less where more pods are away by now.
// Cost: made once an action, O(pods) where there are budgets; a question O(pods asked about).
#pragma once

#include <span>
#include <vector>

#include "actions/victims/victim_set.h"

namespace trellis {

class DisruptionLimits {
 public:
  explicit DisruptionLimits(const PlacementContext& context);

  // Whether all these pods may leave together, after those that already were told to.
  bool allow(std::span<const VictimUnit> units) const;
  // They were told to.
  void spend(std::span<const VictimUnit> units);

 private:
  std::vector<int64_t> count(std::span<const VictimUnit> units) const;

  std::vector<int64_t> left_;                           // by budget; may be negative
  IndexedVector<PodId, std::vector<uint32_t>> of_pod_;  // budgets; empty where there are none
};

}  // namespace trellis
