// What the groups of scheduling.k8s.io have beside those of KAI-Scheduler.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "framework/string_table.h"
#include "server/document/place.h"

namespace trellis {

// A claim that the pods of a PodGroup share, where they have the same entry.
struct GroupClaimUse {
  StrId entry;
  StrId claim;        // by name; of a template, as the group's status says; kNone: not yet
  StrId of_template;  // by name; kNone: the claim is named
};

// What a PodGroup or CompositePodGroup of scheduling.k8s.io has beside a gang's own fields.
struct CoreGroupSpec {
  StrId parent;  // the CompositePodGroup around it; not valid: none
  Place parent_at;
  std::optional<int32_t> priority;
  bool moves_others = true;   // its preemptionPolicy is not Never
  bool leaves_whole = false;  // its disruptionMode is `all`
  bool inner = false;         // it is a CompositePodGroup
  bool of_job = false;        // it is the spec.scheduling of a Job, and no object
  std::vector<GroupClaimUse> claims;
};

}  // namespace trellis
