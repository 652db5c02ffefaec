// A flavor as it is written (kueue.x-k8s.io ResourceFlavor): a kind of nodes that quotas count.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "framework/node.h"
#include "framework/selectors.h"

namespace trellis {

struct Flavor {
  std::string name;
  Labels node_labels;  // its nodes carry all of them
  std::vector<Taint> taints;
  std::vector<Toleration> tolerations;  // that its workloads get
  Maybe<StrId> topology;                // by name; none: it knows none
  bool operator==(const Flavor&) const = default;
};

// Whether the node is one of the flavor's.
inline bool bears(const Node& node, const Flavor& flavor) {
  return std::all_of(flavor.node_labels.begin(), flavor.node_labels.end(), [&](const Label& label) {
    return find_label(node.labels, label.key) == label.value;
  });
}

}  // namespace trellis
