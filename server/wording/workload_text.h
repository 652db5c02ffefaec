// Why a workload waits or was evicted, as text: Kueue's sentences where it has some.
#pragma once

#include <string>

#include "framework/reason.h"
#include "session/cluster/cluster.h"

namespace trellis {

// "insufficient unused quota for cpu in flavor f, 2 more needed".
std::string workload_text(const Cluster& cluster, const Reason& reason);

}  // namespace trellis
