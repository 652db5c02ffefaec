// The requests of a pod, summed over its containers as Kubernetes does.
#pragma once

#include <optional>

#include "framework/pod.h"
#include "framework/resources.h"
#include "server/document/field_reader.h"

namespace trellis {

// The effective requests: the sum of containers and sidecars, or the largest init container with
// the sidecars that started before it, whichever is more. Pod-level resources replace that sum;
// overhead is added, and one of `pods`. A limit without a request counts as a request. A pod on a
// node counts with the largest of its requests and of the amounts that its status lists as
// allocated and actual (pod_resize.h).
struct PodRequests {
  ResourceList held;
  std::optional<ResourceList> wanted;  // by its spec alone, where that differs from `held`
};
PodRequests decode_pod_requests(Value spec, Value status, FieldReader& fields);

// KAI's annotations gpu-fraction, gpu-memory, gpu-fraction-num-devices.
GpuShare decode_gpu_share(Value metadata, const ResourceList& requests, FieldReader& fields);

}  // namespace trellis
