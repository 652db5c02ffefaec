// Why a pod leaves, as its users are told: in its condition and in Events.
#pragma once

#include <string>
#include <string_view>

#include "session/cluster/cluster.h"
#include "session/record/record.h"

namespace trellis {

// Whose place it makes: "gang NAMESPACE/NAME", or a workload; empty: of none.
std::string makes_room_for(const Cluster& cluster, const Eviction& eviction);

// Whether it leaves because its gang ran below its minimum for too long.
bool is_of_stale_gang(std::string_view action);

struct EvictionCause {
  std::string_view action;
  std::string_view by;    // makes_room_for()
  std::string_view gang;  // its own, "NAMESPACE/NAME"
};

// A sentence.
std::string eviction_note(const EvictionCause& cause);

}  // namespace trellis
