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

// A NodeCounter that can say more of a node that it refuses.
class PartJudge {
 public:
  virtual ~PartJudge() = default;
  // Part after part; for those who explain a refusal.
  virtual std::vector<PartShortage> shortages(PodClassId pod_class, FitMode mode,
                                              NodeId node) const = 0;
};

}  // namespace trellis
