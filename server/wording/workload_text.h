// Writes why a workload waits or was evicted, in Kueue's sentences where Kueue has them.
#pragma once

#include <string>

#include "framework/reason.h"
#include "session/cluster/cluster.h"

namespace trellis {

// "insufficient unused quota for cpu in flavor f, 2 more needed".
std::string workload_text(const Cluster& cluster, const Reason& reason);

}  // namespace trellis
