// How many pods of each service stand on each node, followed placement by placement.
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
    Service& one = services_[service.value];
    PodCount& count = one.nodes[node.value];
    one.total -= running(count);
    count.add(presence, change);
    one.total += running(count);
    if (count.empty()) one.nodes.erase(node.value);
  }
  // Those that a preference counts, wherever they stand.
  int64_t total(StrId service) const {
    auto found = services_.find(service.value);
    return found == services_.end() ? 0 : found->second.total;
  }
  const ByNode& of(StrId service) const {
    static const ByNode kNowhere;
    auto found = services_.find(service.value);
    return found == services_.end() ? kNowhere : found->second.nodes;
  }
  PodCount at(StrId service, NodeId node) const {
    const ByNode& nodes = of(service);
    auto found = nodes.find(node.value);
    return found == nodes.end() ? PodCount() : found->second;
  }

  // Those that a preference counts: there to stay, or promised.
  static int32_t running(const PodCount& count) {
    return static_cast<int32_t>(count.stays + count.promised);
  }

 private:
  struct Service {
    ByNode nodes;
    int64_t total = 0;
  };
  absl::flat_hash_map<uint32_t, Service> services_;  // by name; never iterated
};

}  // namespace trellis
