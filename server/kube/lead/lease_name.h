// The name and namespace of the election's Lease, where no argument names them.
#pragma once

#include <string>
#include <string_view>

#include "server/kube/client/in_cluster.h"

namespace trellis {

// "trellis", and for a shard "trellis-VALUE": each shard has a leader. Characters that an object's
// name must not contain are replaced, and then a hash distinguishes values.
std::string lease_name(std::string_view shard_value);

// The namespace of the pod that this program runs in; outside of a pod, that of the control plane.
std::string lease_namespace(const std::string& folder = kServiceAccountFolder);

}  // namespace trellis
