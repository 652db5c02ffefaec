// One decision of a statement: bind, pipeline or evict a pod.
#pragma once

#include <cstdint>

#include "framework/ids.h"

namespace trellis {

// Room for pods of a workload that do not exist yet.
struct SlotFill {
  PodClassId pod_class;
  NodeId node;
  int32_t count = 0;
};

struct Decision {
  enum class Kind : uint8_t { Bind, Pipeline, Evict } kind = Kind::Bind;
  PodId pod;
  NodeId node;
  GangId by;  // Evict: for which gang
  WorkloadId by_workload;
  PodClassId slot_class;  // of its workload's slot that the pod takes; kNone: no slot
};

}  // namespace trellis
