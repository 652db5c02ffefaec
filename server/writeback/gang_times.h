// The times of a gang: since when it runs, and is below its minimum. Annotations of its PodGroup
// have them; where it has none, kind Cycle.
#pragma once

#include <vector>

#include "framework/gang.h"
#include "server/document/json_objects.h"
#include "server/objects/cycle_object.h"
#include "server/objects/raw_object.h"
#include "session/cluster/cluster.h"

namespace trellis {

inline constexpr const char* kLastStart = "kai.scheduler/last-start-timestamp";
inline constexpr const char* kStaleSince = "kai.scheduler/stale-podgroup-timestamp";

// False: the annotations have these values already.
bool write_gang_times(Json& object, const Gang& gang);

// The times that are in no PodGroup of the objects, and that the starts of pods do not say.
// Cost: O(gangs + their pods).
std::vector<GangTimes> times_without_group(const Cluster& cluster,
                                           const std::vector<RawObject>& objects);

}  // namespace trellis
