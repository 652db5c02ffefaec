// The pods of a gang that have to be placed together next, by leaf.
//
// Words: a need is a number of waiting pods of a leaf. A gang without subgroups is one leaf, with
// subgroup -1.
#pragma once

#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <vector>

#include "framework/gang.h"
#include "framework/queue_amounts.h"
#include "framework/reason.h"
#include "session/placement/placement_context.h"

namespace trellis {

struct LeafNeed {
  int32_t subgroup = -1;
  int64_t pods = 0;
  bool operator==(const LeafNeed&) const = default;
};

using GangNeed = boost::container::small_vector<LeafNeed, 4>;  // by subgroup, none with 0 pods

using GangNeeds = boost::container::small_vector<GangNeed, 1>;

struct MinimumNeeds {
  // Ways to complete the minimum, the preferred one first; where min_subgroup leaves a choice,
  // early subgroups are preferred.
  GangNeeds choices;
  bool all = true;  // false: there are more
};

// REQUIRES: the gang is below its minimum.
MinimumNeeds minimum_needs(const PlacementContext& context, GangId gang);

// Why nothing may be placed because pods are missing, of the minimum or above it; code None when
// some pod may be placed, or no pod waits above the minimum.
Reason missing_pods(const PlacementContext& context, GangId gang);

// The needs above the minimum, each to be placed by itself: subgroups that the minimum does
// without, then a pod of each leaf, or its next segment.
GangNeeds growth_needs(const PlacementContext& context, GangId gang);

// growth_needs() of a gang that has its minimum, else minimum_needs().
GangNeeds next_needs(const PlacementContext& context, GangId gang);

// The waiting pods that are to be placed together next, the first ones in order: the rest of the
// minimum, else the first step above it.
std::vector<PodId> next_pods(const PlacementContext& context, GangId gang);

// The amounts that the need takes of the gang's queue. A lower bound: where there is a choice among
// several waiting pods, the smallest, for each resource by itself.
QueueAmounts need_amounts(const PlacementContext& context, GangId gang, const GangNeed& need);

// The amounts of the need that would be tried first: the rest of the gang's minimum, else the next
// pods above it. Zero when no pod waits.
QueueAmounts next_amounts(const PlacementContext& context, GangId gang);

}  // namespace trellis
