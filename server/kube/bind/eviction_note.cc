#include "server/kube/bind/eviction_note.h"

#include "server/wording/full_name.h"

namespace trellis {

std::string makes_room_for(const Cluster& cluster, const Eviction& eviction) {
  if (eviction.by_workload.valid()) {
    const Workload& by = cluster.workloads()[eviction.by_workload];
    return "workload " + full_name(cluster, by.name_space, by.name);
  }
  return eviction.by.valid() ? "gang " + full_name(cluster, eviction.by) : std::string();
}

bool is_of_stale_gang(std::string_view action) { return action == "stalegangeviction"; }

std::string eviction_note(const EvictionCause& cause) {
  if (is_of_stale_gang(cause.action)) {
    return "Evicted, as its gang " + std::string(cause.gang) +
           " ran below its minimum for too long";
  }
  std::string note = "Evicted by " + std::string(cause.action);
  if (!cause.by.empty()) note += " to make room for " + std::string(cause.by);
  return note;
}

}  // namespace trellis
