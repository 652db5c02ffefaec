#include "server/kube/bind/eviction_note.h"

#include "server/wording/names_text.h"

namespace trellis {

bool is_of_stale_gang(std::string_view action) { return action == "stalegangeviction"; }

std::string eviction_note(const Cluster& cluster, const Decision& eviction) {
  if (is_of_stale_gang(eviction.action)) {
    return "Evicted, as its gang " + full_name(cluster, cluster.pods()[eviction.pod].gang) +
           " ran below its minimum for too long";
  }
  std::string note = "Evicted by " + std::string(eviction.action);
  if (eviction.by_workload.valid()) {
    return note + " to make room for workload " + full_name(cluster, eviction.by_workload);
  }
  if (eviction.by.valid()) note += " to make room for gang " + full_name(cluster, eviction.by);
  return note;
}

}  // namespace trellis
