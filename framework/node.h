// The record of a node.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "framework/container_demand.h"
#include "framework/node_features.h"
#include "framework/numa.h"
#include "framework/resources.h"
#include "framework/selectors.h"
#include "framework/shared_value.h"
#include "framework/volumes.h"

namespace trellis {

// An annotation whose value is a number.
struct NodeNumber {
  StrId key;
  double value = 0;
  bool operator==(const NodeNumber&) const = default;
};

struct Node {
  std::string name;
  Labels labels;
  std::vector<NodeNumber> numbers;  // of annotations, except Kubernetes' own; sorted by key id
  std::vector<Taint> taints;
  ResourceList allocatable;  // without kPods: it takes no pods
  // Resources of `allocatable` that are no more than a bound, because devices serve them
  // (framework/device_claims.h); sorted.
  std::vector<ResourceId> by_devices;
  bool ready = true;  // no Ready condition counts as ready
  bool unschedulable = false;
  NodeFeatures features;           // that its kubelet declares
  int64_t gpu_memory_mib = 0;      // of one device (label nvidia.com/gpu.memory); 0: unknown
  bool gpus_in_slices = false;     // divided by MIG (label node-role.kubernetes.io/mig-enabled)
  SharedValue<NumaTopology> numa;  // from its NodeResourceTopology object; none: no such object
  ZoneTrust zones = ZoneTrust::Unknown;
  std::vector<ZoneLeaver> left;      // since that report; those whose zones are known, in no order
  SharedValue<NodeStorage> storage;  // none: no driver of volumes is installed
  bool operator==(const Node&) const = default;
};

// Whether the node takes no new pods: it is cordoned or not ready. Pods that tolerate a cordon are
// the exception.
inline bool is_closed(const Node& node) { return node.unschedulable || !node.ready; }

}  // namespace trellis
