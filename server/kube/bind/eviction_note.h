// The sentence that tells a pod's users why it is evicted, in the pod's condition and in Events.
#pragma once

#include <string>
#include <string_view>

#include "session/cluster/cluster.h"
#include "session/record/record.h"

namespace trellis {

// The gang or workload that the eviction makes room for: "gang NAMESPACE/NAME" or "workload
// NAMESPACE/NAME"; empty: none.
std::string makes_room_for(const Cluster& cluster, const Eviction& eviction);

// Whether this action evicts pods because their gang ran below its minimum for too long.
bool is_of_stale_gang(std::string_view action);

struct EvictionCause {
  std::string_view action;
  std::string_view by;    // makes_room_for()
  std::string_view gang;  // the pod's own, "NAMESPACE/NAME"
};

// Returns one sentence.
std::string eviction_note(const EvictionCause& cause);

}  // namespace trellis
