// Which Lease services stand for election by, where no argument names it.
#pragma once

#include <string>
#include <string_view>

#include "server/kube/client/in_cluster.h"

namespace trellis {

// "trellis", and of a shard "trellis-VALUE": each shard has a leader. What no object may be called
// is replaced, and then a hash distinguishes values.
std::string lease_name(std::string_view shard_value);

// That of the pod that this program runs in; elsewhere that of the control plane.
std::string lease_namespace(const std::string& folder = kServiceAccountFolder);

}  // namespace trellis
