// The requests of a pod, summed over its containers as Kubernetes does.
#pragma once

#include <optional>
#include <string_view>

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

// Whether a pod with this value of the label `app` reserves a GPU for pods that share it, as
// KAI-Scheduler has it. These pods open the device.
bool reserves_shared_gpu(std::string_view app);

// KAI's annotations gpu-fraction, gpu-memory, gpu-fraction-num-devices.
GpuShare decode_gpu_share(Value metadata, const ResourceList& requests, FieldReader& fields);

}  // namespace trellis
