// Node classes: nodes that are equal in every label that some pod class reads, in taints and in
// condition. What a pod class says of one node of a class it says of all.
#pragma once

#include <vector>

#include "framework/selectors.h"

namespace trellis {

struct NodeClass {
  Labels labels;  // only keys that some pod class reads; "" where only their presence is
  std::vector<Taint> taints;
  bool ready = true;
  bool unschedulable = false;
  auto operator<=>(const NodeClass&) const = default;
};

}  // namespace trellis
