// Who is evicted: pods of which gang, from where, by which action and for whom.
#pragma once

#include <string>

#include "server/text/style.h"
#include "session/cluster/cluster.h"
#include "session/record/record.h"

namespace trellis {

// `default/train`, or `workload default/train`; "" where nothing needs the room.
std::string beneficiary(const Cluster& cluster, const Eviction& eviction);

// A row for each gang, action and beneficiary; "" when no pod is evicted.
std::string evictions_table(const Cluster& cluster, const CycleRecord& record, Colours colours);

}  // namespace trellis
