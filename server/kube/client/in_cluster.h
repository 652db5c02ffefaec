// The API server and the account of the pod that this program runs in.
#pragma once

#include <functional>
#include <string>

#include "framework/result.h"
#include "server/kube/client/cluster_access.h"

namespace trellis {

inline constexpr const char* kServiceAccountFolder =
    "/var/run/secrets/kubernetes.io/serviceaccount";

// `environment` returns a variable's value; nullptr: unset. The result refers to the files of the
// token and of the authority, because both are renewed while the pod runs.
Result<ClusterAccess> in_cluster_access(const std::function<const char*(const char*)>& environment,
                                        const std::string& folder = kServiceAccountFolder);

}  // namespace trellis
