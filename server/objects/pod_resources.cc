#include "server/objects/pod_resources.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "framework/container_demand.h"
#include "server/document/quantity.h"
#include "server/objects/pod_resize.h"

namespace trellis {
namespace {

constexpr std::array<std::string_view, 3> kResourcesKeys = {"requests", "limits", "claims"};

// The `resources` of a container or of a whole pod.
struct StatedResources {
  ResourceList requests;
  ResourceList limits;
};

StatedResources read_stated_resources(Value parent, FieldReader& fields) {
  Value resources = fields.object(parent, "resources");
  fields.known_keys(resources, kResourcesKeys);
  return {fields.resources(fields.object(resources, "requests")),
          fields.resources(fields.object(resources, "limits"))};
}

// The limit counts only for a resource without a request: a request of 0 stays 0.
ResourceList container_requests(Value container, FieldReader& fields) {
  StatedResources read = read_stated_resources(container, fields);
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

// The requests of a container and, in a pod that may be resized, the amounts in the status.
struct ContainerAmounts {
  ContainerKind kind = ContainerKind::App;
  ResourceList wanted;
  ResourceList allocated;
  ResourceList actual;
};

// All containers, in the order in which they start.
std::vector<ContainerAmounts> read_containers(Value spec, const PodResize& resize,
                                              FieldReader& fields) {
  std::vector<ContainerAmounts> all;
  auto read = [&](Value container, ContainerKind kind) {
    if (!is_container(container, fields)) return;
    ContainerAmounts& one = all.emplace_back();
    one.kind = kind;
    one.wanted = container_requests(container, fields);
    if (!resize.counts()) return;
    PodResize::Amounts said = resize.of_container(container["name"].text());
    auto amounts = [&](Value given) {
      if (!given.absent()) return fields.resources(given);
      return resize.infeasible() ? ResourceList() : one.wanted;
    };
    one.allocated = amounts(said.allocated);
    one.actual = amounts(said.actual);
  };
  for (Value container : fields.list(spec, "initContainers").items()) {
    bool stays = container["restartPolicy"].text() == "Always";
    read(container, stays ? ContainerKind::Sidecar : ContainerKind::Init);
  }
  for (Value container : fields.list(spec, "containers").items()) {
    read(container, ContainerKind::App);
  }
  return all;
}

ResourceList sum_up(const std::vector<ContainerAmounts>& containers,
                    ResourceList ContainerAmounts::*which) {
  ResourceList running;   // containers and sidecars, which run until the pod ends
  ResourceList sidecars;  // that have started so far
  ResourceList starting;  // the maximum while init containers run
  for (const ContainerAmounts& container : containers) {
    const ResourceList& amounts = container.*which;
    if (container.kind == ContainerKind::Init) {
      ResourceList all = amounts;
      all.add(sidecars);
      starting.raise_to(all);
      continue;
    }
    running.add(amounts);
    if (container.kind == ContainerKind::App) continue;
    sidecars.add(amounts);
    starting.raise_to(sidecars);
  }
  running.raise_to(starting);
  return running;
}

// Subtracts the overhead: the pod-level amounts in the status include it, and the caller adds it to
// the total at the end.
ResourceList read_without(const ResourceList& overhead, Value amounts, FieldReader& fields) {
  ResourceList all = fields.resources(amounts);
  for (ResourceAmount part : overhead.items()) {
    all.set(part.resource, std::max<int64_t>(0, all.get(part.resource) - part.amount));
  }
  return all;
}

ResourceList all_containers(const std::vector<ContainerAmounts>& containers,
                            const PodResize& resize, const ResourceList& overhead,
                            FieldReader& fields) {
  ResourceList wanted = sum_up(containers, &ContainerAmounts::wanted);
  if (!resize.counts()) return wanted;
  ResourceList total = resize.infeasible() ? ResourceList() : std::move(wanted);
  PodResize::Amounts pod = resize.of_pod();
  if (!pod.allocated.absent() && !pod.actual.absent()) {
    total.raise_to(read_without(overhead, pod.allocated, fields));
    total.raise_to(read_without(overhead, pod.actual, fields));
  } else {
    total.raise_to(sum_up(containers, &ContainerAmounts::allocated));
    total.raise_to(sum_up(containers, &ContainerAmounts::actual));
  }
  return total;
}

// Pod-level resources exist for cpu, memory and huge pages.
bool may_be_pod_level(ResourceId resource, FieldReader& fields) {
  return resource == kCpu || resource == kMemory ||
         fields.vocabulary().resources.name(resource).starts_with("hugepages-");
}

// Whether some container has a request or a limit of the resource, be it 0.
bool containers_name(Value spec, const std::string& resource) {
  for (std::string_view list : {"containers", "initContainers"}) {
    for (Value container : spec[list].items()) {
      Value resources = container["resources"];
      bool named =
          !resources["requests"][resource].absent() || !resources["limits"][resource].absent();
      if (named) return true;
    }
  }
  return false;
}

// The requests of the pod as a whole. A limit alone is the request where no container names the
// resource; where one does, the containers' requests count.
ResourceList read_pod_level(Value spec, FieldReader& fields) {
  ResourceList whole;
  if (spec["resources"].absent()) return whole;
  StatedResources pod = read_stated_resources(spec, fields);
  for (ResourceAmount request : pod.requests.items()) {
    if (may_be_pod_level(request.resource, fields)) whole.set(request.resource, request.amount);
  }
  Value requests = spec["resources"]["requests"];
  for (ResourceAmount limit : pod.limits.items()) {
    const std::string& name = fields.vocabulary().resources.name(limit.resource);
    bool asked = !requests[name].absent() || containers_name(spec, name);
    if (!asked && may_be_pod_level(limit.resource, fields)) whole.set(limit.resource, limit.amount);
  }
  return whole;
}

void apply_pod_level(ResourceList whole, const PodResize& resize, const ResourceList& overhead,
                     ResourceList& total, FieldReader& fields) {
  PodResize::Amounts said = resize.of_pod();
  bool resized = !whole.empty() && resize.counts() && !said.actual.absent();
  if (resized && resize.infeasible()) whole = ResourceList();
  if (resized) {
    whole.raise_to(read_without(overhead, said.allocated, fields));
    whole.raise_to(read_without(overhead, said.actual, fields));
  }
  for (ResourceAmount amount : whole.items()) {
    if (may_be_pod_level(amount.resource, fields)) total.set(amount.resource, amount.amount);
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
  if (value.is(ValueKind::String)) {  // any other kind is reported as no string
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

PodRequests decode_pod_requests(Value spec, Value status, FieldReader& fields) {
  PodResize resize(spec, status);
  ResourceList overhead = fields.resources(fields.object(spec, "overhead"));
  std::vector<ContainerAmounts> containers = read_containers(spec, resize, fields);
  std::optional<ResourceList> pod;
  auto total = [&](const PodResize& said) {
    ResourceList all = all_containers(containers, said, overhead, fields);
    if (!pod) pod = read_pod_level(spec, fields);
    apply_pod_level(*pod, said, overhead, all, fields);
    all.add(overhead);
    all.cap(kMaxAmount);
    all.set(kPods, 1);
    return all;
  };
  PodRequests requests{total(resize), std::nullopt};
  if (!resize.counts()) return requests;
  ResourceList wanted = total({});
  if (wanted != requests.held) requests.wanted = std::move(wanted);
  return requests;
}

bool reserves_shared_gpu(std::string_view app) {
  return app == "kai-resource-reservation" || app == "runai-reservation";
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
    int64_t read = read_positive(devices, kMostDevices, "a number of GPUs from 1 to 1024", fields);
    if (read > 0) share.devices = static_cast<int32_t>(read);
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
