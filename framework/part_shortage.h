// What parts of a node lack for a pod: its NUMA zones.
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
  // The first that finds no room, in the order of PodDemand::containers; -1: the pod as a whole.
  int32_t container = -1;
  std::vector<PartShortage> shortages;  // part after part; none: no part has such a resource at all
};

// A NodeCounter that can say more of a node that it refuses.
class PartJudge {
 public:
  virtual ~PartJudge() = default;
  virtual PartRefusal part_refusal(PodClassId pod_class, FitMode mode, NodeId node) const = 0;
};

}  // namespace trellis
