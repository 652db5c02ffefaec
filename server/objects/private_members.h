// What an object says that may be a secret, and that nothing here decides by: what containers are
// given (environment, commands, arguments, files, probes), how their images are pulled, what
// Secrets and ConfigMaps hold, and annotations that hold the whole object once more.
#pragma once

#include <vector>

#include "server/document/document.h"

namespace trellis {

// Wherever it stands: pods are described in templates at any depth, of kinds that are not known
// here, too. Members may lie in one another; in no order. Cost: O(object).
std::vector<Value> private_members(Value object);

// The same and what else is not read of the description of one pod.
void add_unread_of_pod_spec(Value spec, std::vector<Value>& unread);

}  // namespace trellis
