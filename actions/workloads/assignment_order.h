// The order of the domains in an assignment: by path, level by level, as bytes of the names. It is
// Kueue's, and decides which rank goes where (workload_slots.h).
#pragma once

#include "framework/string_table.h"
#include "framework/workload.h"

namespace trellis {

// O(n) when they are in order, else O(n log n).
void sort_domains(TopologyAssignment& assignment, const StringTable& strings);

}  // namespace trellis
