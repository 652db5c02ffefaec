// Writes names of objects: one with its namespace, or the first few of several.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "session/cluster/cluster.h"
#include "session/cluster/named_table.h"

namespace trellis {

// `namespace/name`
inline std::string full_name(const Cluster& cluster, StrId name_space, std::string_view name) {
  return full_key(cluster.vocabulary().strings, name_space, name);
}

inline std::string full_name(const Cluster& cluster, GangId gang) {
  return full_name(cluster, cluster.gangs()[gang].name_space, cluster.gangs()[gang].name);
}

inline std::string full_name(const Cluster& cluster, PodId pod) {
  return full_name(cluster, cluster.pods()[pod].pod.name_space, cluster.pods()[pod].pod.name);
}

inline std::string full_name(const Cluster& cluster, WorkloadId id) {
  const Workload& workload = cluster.workloads()[id];
  return full_name(cluster, workload.name_space, workload.name);
}

// Sorts the names and removes duplicates.
void sort_unique(std::vector<std::string>& names);

inline constexpr size_t kNamesShown = 3;

// `n1 n2 n3 +4`
std::string names_text(const std::vector<std::string>& names);

}  // namespace trellis
