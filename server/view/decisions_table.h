// The decisions of one cycle as a table: a gang a row, then a line of sums.
#pragma once

#include <span>
#include <string>

#include "server/text/style.h"
#include "server/view/gang_summary.h"
#include "session/cluster/cluster.h"
#include "session/record/record.h"

namespace trellis {

// Workloads, gangs, then what decisions_end gives.
std::string decisions_table(const Cluster& cluster, const CycleRecord& record, Colours colours);

// What every view of a cycle ends with: who is evicted, and a line that sums up.
std::string decisions_end(const Cluster& cluster, const CycleRecord& record, Colours colours);

// Of these gangs only, without the sum.
std::string gangs_table(const Cluster& cluster, const CycleRecord& record,
                        std::span<const GangSummary> gangs, Colours colours);

}  // namespace trellis
