#include <utility>

#include "server/devices/decode_devices.h"
#include "server/devices/decode_parts.h"

namespace trellis {
namespace {

using namespace device_parts;

devices::Reach reach_of(Value place, FieldReader& fields) {
  devices::Reach reach;
  using Form = devices::Reach::Form;
  if (!place["nodeName"].absent()) {
    reach.form = Form::OneNode;
    reach.node = text(place, "nodeName", fields);
  } else if (!place["nodeSelector"].absent()) {
    reach.form = Form::Selector;
    reach.terms = node_terms(fields.object(place, "nodeSelector"), fields);
  } else if (fields.boolean(place, "allNodes")) {
    reach.form = Form::AllNodes;
  } else if (fields.boolean(place, "perDeviceNodeSelection")) {
    reach.form = Form::PerDevice;
  }
  return reach;
}

// An error: selectors fail for a device that has it.
cel::Value attribute_error() { return cel::Value::error("unsupported attribute value"); }

cel::Value one_attribute(std::string_view kind, Value value, FieldReader& fields) {
  if (kind == "int") return cel::Value::integer(integer(value, 0, fields));
  bool known = value.is(kind == "bool" ? ValueKind::Bool : ValueKind::String);
  if (!known) {
    fields.error(value, describe(value), kind == "bool" ? "true or false" : "a string");
    return attribute_error();
  }
  if (kind == "bool") return cel::Value::boolean(value.boolean());
  if (kind == "string") return cel::Value::string(std::string(value.text()));
  cel::ParsedSemver parsed = cel::parse_semver(value.text(), cel::SemverForm::Strict);
  if (parsed.error.empty()) return cel::Value::semver(std::move(parsed.version));
  fields.error(value, describe(value), "a version: " + parsed.error);
  return cel::Value::error(parsed.error);
}

cel::Value attribute_of(Value attribute, FieldReader& fields) {
  for (std::string_view kind : {"int", "bool", "string", "version"}) {
    if (!attribute[kind].absent()) return one_attribute(kind, attribute[kind], fields);
    Value list = fields.list(attribute, std::string(kind) + "s");
    if (list.size() == 0) continue;
    cel::List items;
    for (Value item : list.items()) items.push_back(one_attribute(kind, item, fields));
    return cel::Value::list(std::move(items));
  }
  // Of a kind that this version does not know.
  return attribute_error();
}

devices::SharePolicy policy_of(Value value, FieldReader& fields) {
  devices::SharePolicy policy;
  if (!value["default"].absent()) policy.otherwise = quantity(value["default"], fields);
  for (Value allowed : fields.list(value, "validValues").items()) {
    policy.values.push_back(quantity(allowed, fields));
  }
  Value range = fields.object(value, "validRange");
  policy.has_range = !range.absent();
  policy.min = quantity(range["min"], fields);
  if (!range["max"].absent()) policy.max = quantity(range["max"], fields);
  if (!range["step"].absent()) policy.step = quantity(range["step"], fields);
  return policy;
}

void read_attributes(Value attributes, devices::Device& device, FieldReader& fields) {
  for (const Value::Member& member : attributes.members()) {
    cel::Value value = attribute_of(member.value, fields);
    if (value.failed()) {
      device.defect = "attribute " + std::string(member.key) + ": " + value.text();
    }
    device.attributes.push_back({std::string(member.key), std::move(value)});
  }
}

void read_capacity(Value capacities, devices::Device& device, FieldReader& fields) {
  for (const Value::Member& member : capacities.members()) {
    devices::Capacity capacity;
    capacity.name = member.key;
    capacity.value = quantity(member.value["value"], fields);
    Value policy = fields.object(member.value, "requestPolicy");
    if (!policy.absent()) capacity.policy = policy_of(policy, fields);
    device.capacity.push_back(std::move(capacity));
  }
}

devices::Device device_of(Value value, bool& left_out, FieldReader& fields) {
  devices::Device device;
  device.name = text(value, "name", fields);
  // v1beta1 has the rest one level deeper.
  if (!value["basic"].absent()) value = fields.object(value, "basic");
  device.shared = fields.boolean(value, "allowMultipleAllocations");
  read_attributes(fields.object(value, "attributes"), device, fields);
  read_capacity(fields.object(value, "capacity"), device, fields);
  for (Value use : fields.list(value, "consumesCounters").items()) {
    if (fields.list(use, "compatibilityGroups").size() > 0) left_out = true;
    device.counters.push_back(
        {text(use, "counterSet", fields), amounts(fields.object(use, "counters"), fields)});
  }
  for (Value item : fields.list(value, "taints").items()) {
    device.taints.push_back(taint(item, fields));
  }
  device.reach = reach_of(value, fields);
  device.binds_to_node = fields.boolean(value, "bindsToNode");
  device.binding_conditions = texts(value, "bindingConditions", fields);
  device.binding_failures = texts(value, "bindingFailureConditions", fields);
  return device;
}

std::optional<std::string> optional_text(Value parent, std::string_view key, FieldReader& fields) {
  return parent[key].absent() ? std::optional<std::string>() : text(parent, key, fields);
}

}  // namespace

devices::Slice decode_slice(Value object, FieldReader& fields) {
  devices::Slice slice;
  Value spec = fields.object(object, "spec");
  Value pool = fields.object(spec, "pool");
  slice.name = text(fields.object(object, "metadata"), "name", fields);
  slice.driver = text(spec, "driver", fields);
  slice.pool = text(pool, "name", fields);
  slice.generation = integer(pool["generation"], 0, fields);
  slice.slices_of_pool = integer(pool["resourceSliceCount"], 0, fields);
  slice.reach = reach_of(spec, fields);
  for (Value device : fields.list(spec, "devices").items()) {
    slice.devices.push_back(device_of(device, slice.left_out, fields));
  }
  for (Value set : fields.list(spec, "sharedCounters").items()) {
    slice.counter_sets.push_back(
        {text(set, "name", fields), amounts(fields.object(set, "counters"), fields)});
  }
  return slice;
}

devices::TaintRule decode_taint_rule(Value object, FieldReader& fields) {
  devices::TaintRule rule;
  Value spec = fields.object(object, "spec");
  Value selector = fields.object(spec, "deviceSelector");
  rule.name = text(fields.object(object, "metadata"), "name", fields);
  rule.selects = selector.is(ValueKind::Object);
  rule.driver = optional_text(selector, "driver", fields);
  rule.pool = optional_text(selector, "pool", fields);
  rule.device = optional_text(selector, "device", fields);
  rule.taint = taint(fields.object(spec, "taint"), fields);
  return rule;
}

}  // namespace trellis
