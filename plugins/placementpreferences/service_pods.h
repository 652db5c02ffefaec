// How many pods of each service are on each node, updated placement by placement.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>

#include "framework/ids.h"
#include "framework/placed_pods.h"

namespace trellis {

class ServicePods {
 public:
  using ByNode = PlacedPods::ByNode;  // summed up, in no order

  void add(StrId service, NodeId node, Presence presence, int64_t change) {
    ByNode& nodes = services_[service.value];
    PodCount& count = nodes[node.value];
    count.add(presence, change);
    if (count.empty()) nodes.erase(node.value);
  }
  const ByNode& of(StrId service) const {
    static const ByNode kNowhere;
    auto found = services_.find(service.value);
    return found == services_.end() ? kNowhere : found->second;
  }
  PodCount at(StrId service, NodeId node) const {
    const ByNode& nodes = of(service);
    auto found = nodes.find(node.value);
    return found == nodes.end() ? PodCount() : found->second;
  }

  // The pods that a preference counts: those that stay, and promised ones.
  static int32_t running(const PodCount& count) {
    return static_cast<int32_t>(count.stays + count.promised);
  }

 private:
  absl::flat_hash_map<uint32_t, ByNode> services_;  // by name; never iterated
};

}  // namespace trellis
