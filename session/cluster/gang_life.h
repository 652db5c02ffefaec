// The state of a gang by the cluster's records: whether it runs below its minimum, and for how long
// it may. Decisions that are not carried out yet do not count. Cost: O(pods of the gang).
#pragma once

#include "framework/config.h"
#include "framework/gang.h"
#include "framework/time.h"
#include "session/cluster/cluster.h"

namespace trellis {

// Whether some pod of the gang runs, and fewer than it needs. False for a gang that has begun to
// finish.
bool runs_below_minimum(const Cluster& cluster, GangId gang);

// Whether a pod of the gang has succeeded.
bool has_succeeded_pods(const Cluster& cluster, GangId gang);

// How long the gang may run below its minimum; negative: without limit.
inline TimeUs staleness_grace_us(const Gang& gang, const Limits& limits) {
  return gang.staleness_grace_us.value_or(limits.staleness_grace_period_us);
}

}  // namespace trellis
