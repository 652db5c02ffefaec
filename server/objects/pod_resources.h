// What a pod asks for, summed over its containers as Kubernetes does.
#pragma once

#include <optional>

#include "framework/pod.h"
#include "framework/resources.h"
#include "server/document/field_reader.h"

namespace trellis {

// The effective requests: containers and sidecars together, or the largest init container with the
// sidecars that started before it, whichever is more; pod-level resources over that; overhead on
// top; one of `pods`. A limit without a request counts as request. A pod on a node counts as the
// most of its requests and of what its status lists as allocated and in use (pod_resize.h).
struct PodRequests {
  ResourceList held;
  std::optional<ResourceList> wanted;  // by its spec alone, where the status says something else
};
PodRequests decode_pod_requests(Value spec, Value status, FieldReader& fields);

// KAI's annotations gpu-fraction, gpu-memory, gpu-fraction-num-devices.
GpuShare decode_gpu_share(Value metadata, const ResourceList& requests, FieldReader& fields);

}  // namespace trellis
