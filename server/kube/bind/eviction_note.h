// The sentence that tells a pod's users why it is evicted, in the pod's condition and in Events.
#pragma once

#include <string>
#include <string_view>

#include "framework/decision.h"
#include "session/cluster/cluster.h"

namespace trellis {

// Whether this action evicts pods because their gang ran below its minimum for too long.
bool is_of_stale_gang(std::string_view action);

// Returns one sentence, with the gang or workload that the eviction makes room for.
std::string eviction_note(const Cluster& cluster, const Decision& eviction);

}  // namespace trellis
