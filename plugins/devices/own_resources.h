// What a node itself has of each resource, without what its devices serve.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "framework/node.h"
#include "framework/vocabulary.h"

namespace trellis {

// By name, in whole GPUs and in the units of other resources.
std::map<std::string, int64_t> own_resources(const Node& node, const Vocabulary& vocabulary);

}  // namespace trellis
