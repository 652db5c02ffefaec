// What a node itself has of the extended resources of a pod, without what its devices serve.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "devices/extended.h"
#include "framework/node.h"
#include "framework/vocabulary.h"

namespace trellis {

// By name; what the node has nothing of is left out. O(resources of the pod).
std::map<std::string, int64_t> own_resources(const Node& node, const devices::ExtendedPod& pod,
                                             const Vocabulary& vocabulary);

}  // namespace trellis
