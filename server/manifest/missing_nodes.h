// Pods on nodes that were not read: they count for their gangs, and take no room.
#pragma once

#include "server/document/report.h"
#include "server/objects/records.h"

namespace trellis {

// Says so of all such pods together; nothing where no node was read.
void warn_of_missing_nodes(const Records& records, Report& report);

}  // namespace trellis
