// A gang: pods that are placed all or nothing down to a minimum.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "framework/ids.h"
#include "framework/reason.h"
#include "framework/time.h"
#include "framework/topology.h"

namespace trellis {

inline constexpr int32_t kDefaultPriority = 50;

struct Gang {
  StrId name_space;
  std::string name;
  StrId queue;  // by name; kNone: the implicit queue without limits
  int32_t min_member = 1;
  int32_t priority = kDefaultPriority;
  bool preemptible = true;
  TopologyConstraint topology;
  TimeUs created = kNoTime;
  std::string uid;
  // Set by the reader when the gang cannot be understood: it waits with this reason.
  std::vector<Reason> errors;
};

}  // namespace trellis
