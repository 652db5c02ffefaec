// Which pods of a gang have to be placed together next, by leaf.
//
// Words: a need is a number of waiting pods of a leaf. A gang without subgroups is one leaf, with
// subgroup -1.
#pragma once

#include <cstdint>
#include <vector>

#include "framework/gang.h"
#include "framework/reason.h"
#include "session/session.h"

namespace trellis {

struct LeafNeed {
  int32_t subgroup = -1;
  int64_t pods = 0;
  bool operator==(const LeafNeed&) const = default;
};

using GangNeed = std::vector<LeafNeed>;  // by subgroup, none with 0 pods

struct MinimumNeeds {
  // Ways to complete the minimum, the one to prefer first; where min_subgroup leaves a choice,
  // early subgroups are preferred.
  std::vector<GangNeed> choices;
  bool all = true;  // false: there are more
};

// REQUIRES: the gang is below its minimum.
MinimumNeeds minimum_needs(const Session& session, GangId gang);

// Why no choice can be met for want of pods; code None when one can.
Reason missing_pods(const Session& session, GangId gang);

// What may be placed above the minimum, each for itself: subgroups that the minimum does without,
// then a pod of each leaf, or its next segment.
std::vector<GangNeed> growth_needs(const Session& session, GangId gang);

// The waiting pods that are to be placed together next, of those in order: the rest of the minimum,
// else the first step above it.
std::vector<PodId> next_pods(const Session& session, GangId gang);

}  // namespace trellis
