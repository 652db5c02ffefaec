// The decisions of one cycle as a table: one row for each gang, then a line of sums.
#pragma once

#include <span>
#include <string>

#include "server/text/style.h"
#include "server/view/gang_summary.h"
#include "server/view/row_selection.h"
#include "server/view/text_table.h"
#include "session/cluster/cluster.h"
#include "session/record/record.h"

namespace trellis {

// Workloads, gangs, what is not shown, then decisions_end().
std::string decisions_table(const Cluster& cluster, const CycleRecord& record,
                            const RowSelection& selection, TableForm form);
// The same with a row for everything.
std::string decisions_table(const Cluster& cluster, const CycleRecord& record, Colours colours);

// The same with more columns, and the names of all nodes.
std::string wide_decisions_table(const Cluster& cluster, const CycleRecord& record,
                                 const RowSelection& selection, Colours colours);

// The end of every view of a cycle: the evicted pods, and a summary line.
std::string decisions_end(const Cluster& cluster, const CycleRecord& record, TableForm form);

// The table of these gangs only, without the sums.
std::string gangs_table(const Cluster& cluster, const CycleRecord& record,
                        std::span<const GangSummary> gangs, TableForm form);

// The table of evictions: the victims by gang, their nodes, the action, and the beneficiary.

// The gang or workload that needs the room: `default/train`, or `workload default/train`; "" when
// none does.
std::string beneficiary(const Cluster& cluster, const Decision& eviction);

// One row for each gang, action and beneficiary; "" when no pod is evicted.
std::string evictions_table(const Cluster& cluster, const CycleRecord& record, TableForm form);

}  // namespace trellis
