// A flavor as written (kueue.x-k8s.io ResourceFlavor): a kind of node that quotas count.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "framework/node.h"
#include "framework/selectors.h"

namespace trellis {

struct Flavor {
  std::string name;
  Labels node_labels;  // its nodes have all of them
  std::vector<Taint> taints;
  std::vector<Toleration> tolerations;  // given to its workloads
  Maybe<StrId> topology;                // by name; none: the flavor has no topology
  bool operator==(const Flavor&) const = default;
};

// Whether the node has all labels of the flavor.
inline bool bears(const Node& node, const Flavor& flavor) {
  return std::all_of(flavor.node_labels.begin(), flavor.node_labels.end(), [&](const Label& label) {
    return find_label(node.labels, label.key) == label.value;
  });
}

}  // namespace trellis
