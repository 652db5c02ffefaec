// The rows of a cycle's table for other programs: their names, and comma-separated values.
#pragma once

#include <string>

#include "server/view/row_selection.h"

namespace trellis {

// `gang/default/train` or `workload/default/train` a line, as `explain` takes them.
std::string row_names(const Cluster& cluster, const CycleRecord& record,
                      const RowSelection& selection);

// kind,namespace,name,queue,status,placed,pods,minimum,priority,domain,nodes,reason: as RFC 4180
// quotes them, with a line feed at the end of a line. Nodes are separated by blanks.
std::string rows_csv(const Cluster& cluster, const CycleRecord& record,
                     const RowSelection& selection);

}  // namespace trellis
