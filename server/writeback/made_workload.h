// The Workload object of a workload that was made for its owner.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "server/document/json_objects.h"
#include "server/manifest/manifest.h"
#include "session/cluster/cluster.h"

namespace trellis {

// Without a status. `templates`: by PodSet; a PodSet without a template is written with its
// requests.
Json make_workload_object(const Cluster& cluster, WorkloadId id,
                          const std::vector<const WorkloadOwnership*>& owners,
                          const std::map<std::string, Json>& templates);

}  // namespace trellis
