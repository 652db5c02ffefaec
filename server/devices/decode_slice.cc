#include <utility>

#include "server/devices/decode_devices.h"
#include "server/devices/decode_parts.h"

namespace trellis {
namespace {

using namespace device_parts;

devices::Reach reach_of(Value place) {
  devices::Reach reach;
  using Form = devices::Reach::Form;
  if (!place["nodeName"].absent()) {
    reach.form = Form::OneNode;
    reach.node = text(place["nodeName"]);
  } else if (!place["nodeSelector"].absent()) {
    reach.form = Form::Selector;
    reach.terms = node_terms(place["nodeSelector"]);
  } else if (place["allNodes"].boolean()) {
    reach.form = Form::AllNodes;
  } else if (place["perDeviceNodeSelection"].boolean()) {
    reach.form = Form::PerDevice;
  }
  return reach;
}

cel::Value version_of(Value value) {
  cel::ParsedSemver parsed = cel::parse_semver(value.text(), cel::SemverForm::Strict);
  return parsed.error.empty() ? cel::Value::semver(std::move(parsed.version))
                              : cel::Value::error(parsed.error);
}

cel::Value one_attribute(std::string_view kind, Value value) {
  if (kind == "int") return cel::Value::integer(integer(value, 0));
  if (kind == "bool") return cel::Value::boolean(value.boolean());
  if (kind == "string") return cel::Value::string(text(value));
  return kind == "version" ? version_of(value) : cel::Value::error("unsupported attribute value");
}

// An error: the attribute has no value that is known.
cel::Value attribute_of(Value attribute) {
  for (const Value::Member& member : attribute.members()) {
    if (member.value.is(ValueKind::Null)) continue;
    if (!member.value.is(ValueKind::Array)) return one_attribute(member.key, member.value);
    std::string_view kind = member.key.substr(0, member.key.size() - 1);
    cel::List items;
    for (Value item : member.value.items()) items.push_back(one_attribute(kind, item));
    if (items.empty()) break;
    return cel::Value::list(std::move(items));
  }
  return cel::Value::error("unsupported attribute value");
}

devices::SharePolicy policy_of(Value value) {
  devices::SharePolicy policy;
  if (!value["default"].absent()) policy.otherwise = quantity(value["default"]);
  for (Value allowed : value["validValues"].items()) policy.values.push_back(quantity(allowed));
  Value range = value["validRange"];
  policy.has_range = !range.absent();
  policy.min = quantity(range["min"]);
  if (!range["max"].absent()) policy.max = quantity(range["max"]);
  if (!range["step"].absent()) policy.step = quantity(range["step"]);
  return policy;
}

void read_attributes(Value attributes, devices::Device& device) {
  for (const Value::Member& member : attributes.members()) {
    cel::Value value = attribute_of(member.value);
    if (value.failed()) {
      device.defect = "attribute " + std::string(member.key) + ": " + value.text();
    }
    device.attributes.push_back({std::string(member.key), std::move(value)});
  }
}

void read_capacity(Value capacities, devices::Device& device) {
  for (const Value::Member& member : capacities.members()) {
    devices::Capacity capacity;
    capacity.name = member.key;
    capacity.value = quantity(member.value["value"]);
    Value policy = member.value["requestPolicy"];
    if (!policy.absent()) capacity.policy = policy_of(policy);
    device.capacity.push_back(std::move(capacity));
  }
}

devices::Device device_of(Value value, bool& left_out) {
  devices::Device device;
  device.name = text(value["name"]);
  // v1beta1 has the rest one level deeper.
  if (!value["basic"].absent()) value = value["basic"];
  device.shared = value["allowMultipleAllocations"].boolean();
  read_attributes(value["attributes"], device);
  read_capacity(value["capacity"], device);
  for (Value use : value["consumesCounters"].items()) {
    if (use["compatibilityGroups"].size() > 0) left_out = true;
    device.counters.push_back({text(use["counterSet"]), amounts(use["counters"])});
  }
  for (Value item : value["taints"].items()) device.taints.push_back(taint(item));
  device.reach = reach_of(value);
  device.binds_to_node = value["bindsToNode"].boolean();
  device.binding_conditions = texts(value["bindingConditions"]);
  device.binding_failures = texts(value["bindingFailureConditions"]);
  return device;
}

std::optional<std::string> optional_text(Value value) {
  return value.absent() ? std::optional<std::string>() : text(value);
}

}  // namespace

devices::Slice decode_slice(Value object) {
  devices::Slice slice;
  Value spec = object["spec"];
  slice.name = text(object["metadata"]["name"]);
  slice.driver = text(spec["driver"]);
  slice.pool = text(spec["pool"]["name"]);
  slice.generation = integer(spec["pool"]["generation"], 0);
  slice.slices_of_pool = integer(spec["pool"]["resourceSliceCount"], 0);
  slice.reach = reach_of(spec);
  for (Value device : spec["devices"].items()) {
    slice.devices.push_back(device_of(device, slice.left_out));
  }
  for (Value set : spec["sharedCounters"].items()) {
    slice.counter_sets.push_back({text(set["name"]), amounts(set["counters"])});
  }
  return slice;
}

devices::TaintRule decode_taint_rule(Value object) {
  devices::TaintRule rule;
  rule.name = text(object["metadata"]["name"]);
  Value selector = object["spec"]["deviceSelector"];
  rule.selects = selector.is(ValueKind::Object);
  rule.driver = optional_text(selector["driver"]);
  rule.pool = optional_text(selector["pool"]);
  rule.device = optional_text(selector["device"]);
  rule.taint = taint(object["spec"]["taint"]);
  return rule;
}

}  // namespace trellis
