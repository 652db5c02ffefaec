// PodGroup objects for gangs that the owners of pods make, so that other programs see them.
//
// Each bears the gang's name, is owned by what its pods are the gang of (and is taken away with
// it), and says for whom it was made in an annotation: its pods need not name it. What it says is a
// copy: the owner's word for minimum and subgroups goes before it, and where they differ it is
// rewritten. Pods that are a gang each have none; nor have gangs of a Workload, gangs with
// errors, gangs that share their name with another, and those of other schedulers.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "server/kube/client/api_request.h"
#include "session/cluster/cluster.h"

namespace trellis {

// An object's text as JSON; empty: there is none.
using FindObject = std::function<std::string(std::string_view group, std::string_view kind,
                                             std::string_view name_space, std::string_view name)>;

// What has to be written so that each such gang has its PodGroup, in the order of the gangs. Cost:
// O(pods), and for each such gang a few objects' text.
std::vector<ApiRequest> owner_pod_group_requests(const Cluster& cluster, const FindObject& find);

}  // namespace trellis
