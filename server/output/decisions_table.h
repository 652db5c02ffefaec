// What one cycle decided, for eyes: a gang a row, then a line that sums up.
#pragma once

#include <string>

#include "server/output/style.h"
#include "session/cluster.h"
#include "session/record.h"

namespace trellis {

std::string decisions_table(const Cluster& cluster, const CycleRecord& record, Colours colours);

}  // namespace trellis
