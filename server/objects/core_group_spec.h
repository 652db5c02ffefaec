// What the groups of scheduling.k8s.io have beside those of KAI-Scheduler.
#pragma once

#include <cstdint>
#include <optional>

#include "framework/string_table.h"
#include "server/document/place.h"

namespace trellis {

// What a PodGroup or CompositePodGroup of scheduling.k8s.io has beside a gang's own fields.
struct CoreGroupSpec {
  StrId parent;  // the CompositePodGroup around it; not valid: none
  Place parent_at;
  std::optional<int32_t> priority;
  bool moves_others = true;   // its preemptionPolicy is not Never
  bool leaves_whole = false;  // its disruptionMode is `all`
  bool inner = false;         // it is a CompositePodGroup
  bool of_job = false;        // it is the spec.scheduling of a Job, and no object
};

}  // namespace trellis
