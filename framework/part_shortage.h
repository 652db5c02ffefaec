// The amounts that parts of a node, its NUMA zones, lack for a pod.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "framework/ids.h"
#include "framework/node_state.h"

namespace trellis {

struct PartShortage {
  std::string part;  // its name
  ResourceId resource;
  int64_t short_by = 0;  // in the resource's unit
};

struct PartRefusal {
  // The first container that finds no room, in the order of PodDemand::containers; -1: the pod as a
  // whole.
  int32_t container = -1;
  std::vector<PartShortage> shortages;  // part by part; none: no part has such a resource at all
};

// A NodeCounter that can explain its refusal of a node, part by part.
class PartJudge {
 public:
  virtual ~PartJudge() = default;
  virtual PartRefusal part_refusal(PodClassId pod_class, FitMode mode, NodeId node) const = 0;
};

}  // namespace trellis
