// The names of the GPUs that pods share: they stand on each pod that holds a part of one, in
// labels.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "session/cluster/cluster.h"
#include "session/record/record.h"

namespace trellis {

inline constexpr std::string_view kGpuGroupLabel = "runai-gpu-group";

// Of the devices of all nodes that a cycle touched: what pods hold there after it. REQUIRES:
// `cluster` as the cycle found it. Cost: O(pods that were touched) once.
class DeviceNames {
 public:
  DeviceNames(const Cluster& cluster, const CycleRecord& record);

  // As names are known, sorted; a device that has none yet is named by its number.
  std::vector<std::string> of(const PodOutcome& outcome) const;

 private:
  void read(const Cluster& cluster, const CycleRecord& record, PodId pod);

  std::map<std::pair<NodeId, int32_t>, std::string> names_;
};

// The labels that say so: key and value.
std::vector<std::pair<std::string, std::string>> group_labels(
    const std::vector<std::string>& names);

}  // namespace trellis
