// The table of evictions: the victims by gang, their nodes, the action, and the beneficiary.
#pragma once

#include <string>

#include "server/text/style.h"
#include "session/cluster/cluster.h"
#include "session/record/record.h"

namespace trellis {

// The gang or workload that needs the room: `default/train`, or `workload default/train`; "" when
// none does.
std::string beneficiary(const Cluster& cluster, const Decision& eviction);

// One row for each gang, action and beneficiary; "" when no pod is evicted.
std::string evictions_table(const Cluster& cluster, const CycleRecord& record, Colours colours);

}  // namespace trellis
