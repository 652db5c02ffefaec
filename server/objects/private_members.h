// The members of an object that may be secret and that no decision reads: the inputs of containers
// (environment, commands, arguments, files, probes), how their images are pulled, the data of
// Secrets and ConfigMaps, and annotations that hold a copy of the whole object.
#pragma once

#include <vector>

#include "server/document/document.h"

namespace trellis {

// Searches the object at any depth, since kinds that are not known here have pod templates, too.
// A returned member may contain another one; they are in no order. Cost: O(object).
std::vector<Value> private_members(Value object);

// Appends the private members of one pod's spec, and its other members that are not read.
void add_unread_of_pod_spec(Value spec, std::vector<Value>& unread);

}  // namespace trellis
