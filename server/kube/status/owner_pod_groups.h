// PodGroup objects for gangs that are formed by the owners of pods, so that other programs can read
// them.
//
// Each has the gang's name, is owned by the object whose pods form the gang (and is removed with
// it), and names that object in an annotation: the pods need not name the PodGroup. Its content is
// a copy: the owner's minimum and subgroups take precedence, and where they differ the PodGroup is
// rewritten. There is no PodGroup for pods that are a gang each, gangs of a Workload, gangs with
// errors, gangs that have the name of another gang, and gangs of other schedulers.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "server/kube/client/api_request.h"
#include "session/cluster/cluster.h"

namespace trellis {

// An object's text as JSON; empty: there is no such object.
using FindObject = std::function<std::string(std::string_view group, std::string_view kind,
                                             std::string_view name_space, std::string_view name)>;

// The writes that give each such gang its PodGroup, in the order of the gangs. Cost: O(pods), and
// for each such gang the text of a few objects.
std::vector<ApiRequest> owner_pod_group_requests(const Cluster& cluster, const FindObject& find);

}  // namespace trellis
