// A flavor as it is written (kueue.x-k8s.io ResourceFlavor): a kind of nodes that quotas count.
#pragma once

#include <string>
#include <vector>

#include "framework/selectors.h"

namespace trellis {

struct Flavor {
  std::string name;
  Labels node_labels;  // its nodes carry all of them
  std::vector<Taint> taints;
  std::vector<Toleration> tolerations;  // that its workloads get
  StrId topology;                       // by name; kNone: it knows none
  bool operator==(const Flavor&) const = default;
};

}  // namespace trellis
