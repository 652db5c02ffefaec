// The times of a gang in the annotations of its PodGroup: since when it runs, and is below its
// minimum.
#pragma once

#include "framework/gang.h"
#include "server/document/json_objects.h"

namespace trellis {

inline constexpr const char* kLastStart = "kai.scheduler/last-start-timestamp";
inline constexpr const char* kStaleSince = "kai.scheduler/stale-podgroup-timestamp";

// False: the annotations have these values already.
bool write_gang_times(Json& object, const Gang& gang);

}  // namespace trellis
