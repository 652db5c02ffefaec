// A PodDisruptionBudget (policy/v1): how many of the pods that it selects must stay.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "framework/ids.h"
#include "framework/selectors.h"

namespace trellis {

// A number of pods, or a percentage of them.
struct PodQuantity {
  int64_t pods = 0;
  std::optional<int32_t> percent;  // set: of the pods that the budget selects; rounded up
  bool operator==(const PodQuantity&) const = default;
};

struct DisruptionBudget {
  StrId name_space;
  std::string name;
  std::vector<Requirement> labels;  // of its selector; empty: every pod of the namespace
  bool selects_nothing = false;     // it has no selector
  // At most one of the two is set; with neither, all pods may leave.
  std::optional<PodQuantity> min_available;
  std::optional<PodQuantity> max_unavailable;
  // As the controller of the budget reports it; unset: not reported yet.
  std::optional<int64_t> disruptions_allowed;
  bool operator==(const DisruptionBudget&) const = default;
};

}  // namespace trellis
