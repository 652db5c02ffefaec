// How long past gangs ran, by queue and namespace. It goes by names, so that another scheduler can
// continue with it (kind Cycle, pastRuns).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "framework/time.h"

namespace trellis {

inline constexpr size_t kMostPastRuns = 32;  // that are kept of each queue and namespace
inline constexpr size_t kLeastPastRuns = 5;  // from which on they are an estimate

struct PastRuns {
  std::string queue;  // "": none
  std::string name_space;
  std::vector<TimeUs> lengths;  // the last one last
  bool operator==(const PastRuns&) const = default;
};

using RunHistory = std::vector<PastRuns>;  // by queue, then by namespace

}  // namespace trellis
