// The names of the GPUs that pods share: labels of each pod that holds a part of such a GPU.
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

// The names of the devices of all nodes that a cycle touched, from the pods that hold them after
// it. REQUIRES: `cluster` is as the cycle found it. Cost: O(touched pods) once.
class DeviceNames {
 public:
  DeviceNames(const Cluster& cluster, const CycleRecord& record);

  // The names that are known, sorted; a device without a name yet is named by its index.
  std::vector<std::string> of(const PodOutcome& outcome) const;

 private:
  void read(const Cluster& cluster, const CycleRecord& record, PodId pod);

  std::map<std::pair<NodeId, int32_t>, std::string> names_;
};

// The labels for these names: key and value.
std::vector<std::pair<std::string, std::string>> group_labels(
    const std::vector<std::string>& names);

}  // namespace trellis
