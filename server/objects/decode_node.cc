#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "server/document/quantity.h"
#include "server/objects/decode_selectors.h"
#include "server/objects/decoders.h"

namespace trellis {
namespace {

constexpr std::string_view kMigNode = "node-role.kubernetes.io/mig-enabled";

int64_t gpu_memory_mib(Value labels) {
  std::optional<Quantity> memory = parse_quantity(labels["nvidia.com/gpu.memory"].text(), 0);
  return memory && !memory->negative ? memory->amount : 0;
}

bool is_kubernetes_own(std::string_view key) {
  std::string_view domain = key.substr(0, key.find('/'));
  return domain.ends_with("kubernetes.io") || domain.ends_with("k8s.io");
}

// Annotations that are numbers, for scores by them; most annotations are long and are no numbers.
std::vector<NodeNumber> numbers_in(Value annotations, FieldReader& fields) {
  std::vector<NodeNumber> numbers;
  for (Value::Member member : annotations.members()) {
    std::string_view text = member.value.text();
    if (is_kubernetes_own(member.key)) continue;
    double number = 0;
    auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
    bool whole = failure == std::errc() && end == text.data() + text.size();
    if (whole && std::isfinite(number)) numbers.push_back({fields.intern(member.key), number});
  }
  std::ranges::sort(numbers, {}, &NodeNumber::key);
  return numbers;
}

NodeFeatures features_in(Value status, FieldReader& fields) {
  NodeFeatures features;
  for (Value feature : fields.list(status, "declaredFeatures").items()) {
    auto named = std::ranges::find(kNodeFeatureNames, feature.text());
    if (named == kNodeFeatureNames.end()) continue;
    features.add(static_cast<NodeFeature>(named - kNodeFeatureNames.begin()));
  }
  return features;
}

}  // namespace

NodeRecord decode_node(NamedObject named, FieldReader& fields) {
  Value object = named.object;
  Node node;
  node.name = std::move(named.name);
  Value metadata = object["metadata"];
  node.labels = fields.labels(metadata, "labels");
  node.numbers = numbers_in(metadata["annotations"], fields);
  node.gpu_memory_mib = gpu_memory_mib(metadata["labels"]);
  node.gpus_in_slices = metadata["labels"][kMigNode].text() == "true";

  Value spec = fields.object(object, "spec");
  node.unschedulable = fields.boolean(spec, "unschedulable");
  node.taints = decode_taints(spec, fields);

  Value status = fields.object(object, "status");
  Value allocatable = fields.object(status, "allocatable");
  if (allocatable.absent()) allocatable = fields.object(status, "capacity");
  bool whole = !has_labels_alone(object);
  if (whole && status["allocatable"].absent() && status["capacity"].absent()) {
    fields.report().warning(object,
                            {"a Node without status.allocatable", "what pods may use of it", ""});
  }
  node.allocatable = fields.resources(allocatable);
  node.features = features_in(status, fields);
  for (Value condition : fields.list(status, "conditions").items()) {
    if (condition["type"].text() == "Ready") node.ready = condition["status"].text() == "True";
    for (std::string_view key : {"lastTransitionTime", "lastHeartbeatTime"}) {
      fields.time(condition, key);
    }
  }
  return {std::move(named.meta), std::move(node)};
}

bool has_labels_alone(Value node) { return !node["spec"].exists() && !node["status"].exists(); }

NodeLabelsRecord decode_node_labels(NamedObject named, FieldReader& fields) {
  Place at = fields.report().place(named.object);
  NodeRecord record = decode_node(std::move(named), fields);
  return {std::move(record.meta), std::move(record.node), std::move(at)};
}

NameSpaceRecord decode_name_space(NamedObject named, FieldReader& fields) {
  StrId name = named.meta.key.name;
  return {std::move(named.meta), {name, fields.labels(named.object["metadata"], "labels")}};
}

}  // namespace trellis
