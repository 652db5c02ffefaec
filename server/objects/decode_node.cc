#include <optional>
#include <string_view>
#include <utility>

#include "server/document/quantity.h"
#include "server/objects/decode_selectors.h"
#include "server/objects/decoders.h"

namespace trellis {
namespace {

constexpr int64_t kDefaultPods = 110;  // the kubelet's default

int64_t gpu_memory_mib(Value labels) {
  std::optional<Quantity> memory = parse_quantity(labels["nvidia.com/gpu.memory"].text(), 0);
  return memory && !memory->negative ? memory->amount : 0;
}

}  // namespace

NodeRecord decode_node(NamedObject named, FieldReader& fields) {
  Value object = named.object;
  Node node;
  node.name = std::move(named.name);
  Value metadata = object["metadata"];
  node.labels = fields.labels(metadata, "labels");
  node.gpu_memory_mib = gpu_memory_mib(metadata["labels"]);

  Value spec = fields.object(object, "spec");
  node.unschedulable = fields.boolean(spec, "unschedulable");
  node.taints = decode_taints(spec, fields);

  Value status = fields.object(object, "status");
  Value allocatable = fields.object(status, "allocatable");
  if (allocatable.absent()) allocatable = fields.object(status, "capacity");
  if (status["allocatable"].absent() && status["capacity"].absent()) {
    fields.report().warning(object,
                            {"a Node without status.allocatable", "what pods may use of it", ""});
  }
  node.allocatable = fields.resources(allocatable);
  if (allocatable["pods"].absent()) node.allocatable.set(kPods, kDefaultPods);

  for (Value condition : fields.list(status, "conditions").items()) {
    if (condition["type"].text() == "Ready") node.ready = condition["status"].text() == "True";
    for (std::string_view key : {"lastTransitionTime", "lastHeartbeatTime"}) {
      fields.time(condition, key);
    }
  }
  return {std::move(named.meta), std::move(node)};
}

NameSpaceRecord decode_name_space(NamedObject named, FieldReader& fields) {
  StrId name = named.meta.key.name;
  return {std::move(named.meta), {name, fields.labels(named.object["metadata"], "labels")}};
}

}  // namespace trellis
