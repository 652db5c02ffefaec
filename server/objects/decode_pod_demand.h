// The requests of a pod, container by container (framework/container_demand.h).
//
// A value that cannot be read is left out here: pod_resources.h reports it.
#pragma once

#include <optional>

#include "framework/container_demand.h"
#include "framework/pod.h"
#include "server/document/field_reader.h"

namespace trellis {

// For a pod on a node the amounts in its status count (pod_resize.h).
struct PodDemands {
  PodDemand held;
  std::optional<PodDemand> wanted;  // by its spec alone, where that differs from `held`
};
PodDemands decode_pod_demand(Value spec, Value status, FieldReader& fields);

// Names of the containers, and their zones: from annotation trellis.scheduler/numa-hint, else from
// the annotation of KAI's agent (numa_notes.h).
PodContainers decode_pod_containers(Value metadata, Value spec, FieldReader& fields);

// Whether the pod's node refused the pod because it did not fit into the node's zones.
bool refused_by_zones(Value status);

}  // namespace trellis
