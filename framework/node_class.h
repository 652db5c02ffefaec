// Node classes: nodes that are equal in every label that some pod class reads, in taints and in
// condition. A class filter's verdict on one node of a class holds for all of them.
#pragma once

#include <vector>

#include "framework/node_features.h"
#include "framework/selectors.h"

namespace trellis {

struct NodeClass {
  Labels labels;  // only keys that some pod class reads; "" for a key read only for its presence
  std::vector<Taint> taints;
  bool ready = true;
  bool unschedulable = false;
  NodeFeatures features;  // only those that some pod class needs
  auto operator<=>(const NodeClass&) const = default;
};

}  // namespace trellis
