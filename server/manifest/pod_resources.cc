#include "server/manifest/pod_resources.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "server/manifest/quantity.h"

namespace trellis {
namespace {

constexpr std::array<std::string_view, 3> kResourcesKeys = {"requests", "limits", "claims"};

// A container's, or a whole pod's.
struct Resources {
  ResourceList requests;
  ResourceList limits;
};

Resources read_resources(Value parent, FieldReader& fields) {
  Value resources = fields.object(parent, "resources");
  fields.known_keys(resources, kResourcesKeys);
  return {fields.resources(fields.object(resources, "requests")),
          fields.resources(fields.object(resources, "limits"))};
}

// Only what a request does not name takes the limit: a request of 0 stays 0.
ResourceList container_requests(Value container, FieldReader& fields) {
  Resources read = read_resources(container, fields);
  Value requests = container["resources"]["requests"];
  for (ResourceAmount limit : read.limits.items()) {
    const std::string& name = fields.vocabulary().resources.name(limit.resource);
    if (requests[name].absent()) read.requests.set(limit.resource, limit.amount);
  }
  return read.requests;
}

bool is_container(Value value, FieldReader& fields) {
  if (value.is(ValueKind::Object)) return true;
  fields.error(value, describe(value), "a container");
  return false;
}

ResourceList all_containers(Value spec, FieldReader& fields) {
  ResourceList running;   // containers and sidecars, for the pod's life
  ResourceList sidecars;  // those that have started so far
  ResourceList starting;  // the most that is needed while init containers run
  for (Value container : fields.list(spec, "containers").items()) {
    if (is_container(container, fields)) running.add(container_requests(container, fields));
  }
  for (Value container : fields.list(spec, "initContainers").items()) {
    if (!is_container(container, fields)) continue;
    ResourceList requests = container_requests(container, fields);
    if (container["restartPolicy"].text() == "Always") {
      running.add(requests);
      sidecars.add(requests);
      starting.raise_to(sidecars);
    } else {
      requests.add(sidecars);
      starting.raise_to(requests);
    }
  }
  running.raise_to(starting);
  return running;
}

// Pod-level resources exist for cpu, memory and huge pages; a limit alone is the request where no
// container asks for that resource.
void apply_pod_level(Value spec, ResourceList& total, FieldReader& fields) {
  if (spec["resources"].absent()) return;
  Resources pod = read_resources(spec, fields);
  auto may_be_pod_level = [&fields](ResourceId resource) {
    return resource == kCpu || resource == kMemory ||
           fields.vocabulary().resources.name(resource).starts_with("hugepages-");
  };
  for (ResourceAmount request : pod.requests.items()) {
    if (may_be_pod_level(request.resource)) total.set(request.resource, request.amount);
  }
  for (ResourceAmount limit : pod.limits.items()) {
    bool asked = pod.requests.get(limit.resource) > 0 || total.get(limit.resource) > 0;
    if (!asked && may_be_pod_level(limit.resource)) total.set(limit.resource, limit.amount);
  }
}

std::optional<Quantity> annotation_number(Value value, int decimals) {
  if (!value.is(ValueKind::String)) return std::nullopt;
  return parse_quantity(value.text(), decimals);
}

int32_t read_portion(Value value, FieldReader& fields) {
  std::optional<Quantity> portion = annotation_number(value, 3);
  if (portion && portion->amount > 0 && portion->amount <= kMilli) {
    return static_cast<int32_t>(portion->amount);
  }
  if (value.is(ValueKind::String)) {  // else it is reported as no string
    fields.error(value, describe(value), "a part of a GPU above 0 and up to 1, such as \"0.5\"");
  }
  return 0;
}

int64_t read_positive(Value value, int64_t high, const char* expected, FieldReader& fields) {
  std::optional<Quantity> number = annotation_number(value, 0);
  if (number && number->exact && number->amount > 0 && number->amount <= high) {
    return number->amount;
  }
  if (value.is(ValueKind::String)) fields.error(value, describe(value), expected);
  return 0;
}

}  // namespace

ResourceList decode_pod_requests(Value spec, FieldReader& fields) {
  ResourceList total = all_containers(spec, fields);
  apply_pod_level(spec, total, fields);
  total.add(fields.resources(fields.object(spec, "overhead")));
  total.set(kPods, 1);
  return total;
}

GpuShare decode_gpu_share(Value metadata, const ResourceList& requests, FieldReader& fields) {
  GpuShare share;
  Value annotations = metadata["annotations"];
  Value fraction = annotations["gpu-fraction"];
  Value memory = annotations["gpu-memory"];
  Value devices = annotations["gpu-fraction-num-devices"];
  if (fraction.absent() && memory.absent()) {
    if (!devices.absent()) {
      fields.error(devices, "gpu-fraction-num-devices alone",
                   "annotation gpu-fraction or gpu-memory beside it");
    }
    return share;
  }
  if (!fraction.absent()) share.portion_milli = read_portion(fraction, fields);
  if (!memory.absent()) {
    share.memory_mib = read_positive(memory, kMaxAmount, "a whole number of MiB above 0", fields);
  }
  if (!devices.absent()) {
    constexpr int64_t kMostDevices = 1024;
    share.devices = static_cast<int32_t>(
        read_positive(devices, kMostDevices, "a number of GPUs from 1 to 1024", fields));
  }
  if (!fraction.absent() && !memory.absent()) {
    fields.error(memory, "both gpu-fraction and gpu-memory", "one of them");
    share.memory_mib = 0;
  }
  if (requests.get(kGpu) > 0 || requests.get(kAmdGpu) > 0) {
    fields.error(fraction.absent() ? memory : fraction, "a part of a GPU beside whole GPUs",
                 "either the annotation or a request of whole GPUs");
  }
  return share;
}

}  // namespace trellis
