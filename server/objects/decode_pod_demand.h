// What a pod asks for container by container (framework/container_demand.h).
//
// What cannot be read is left out: pod_resources.h reports it.
#pragma once

#include <optional>

#include "framework/container_demand.h"
#include "framework/pod.h"
#include "server/document/field_reader.h"

namespace trellis {

// A pod on a node counts as what its status says that it was given (pod_resize.h).
struct PodDemands {
  PodDemand held;
  std::optional<PodDemand> wanted;  // by its spec alone, where the status says something else
};
PodDemands decode_pod_demand(Value spec, Value status, FieldReader& fields);

// Names of the containers, and the zones that annotation trellis.scheduler/numa-hint gives them.
PodContainers decode_pod_containers(Value metadata, Value spec, FieldReader& fields);

// Whether the pod's node would not have it, because its zones did not hold it.
bool refused_by_zones(Value status);

}  // namespace trellis
