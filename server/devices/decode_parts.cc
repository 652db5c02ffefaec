#include "server/devices/decode_parts.h"

#include <array>
#include <charconv>
#include <utility>

#include "server/document/json_text.h"

namespace trellis::device_parts {
namespace {

constexpr std::array<std::string_view, 6> kOperators = {"In",           "NotIn", "Exists",
                                                        "DoesNotExist", "Gt",    "Lt"};
constexpr std::array<std::string_view, 2> kTolerationOperators = {"Exists", "Equal"};

devices::SelectorOperator operator_of(Value requirement, FieldReader& fields) {
  std::string_view word = fields.word(requirement, "operator", kOperators);
  for (size_t i = 0; i < kOperators.size(); ++i) {
    // In the order of SelectorOperator.
    if (kOperators[i] == word) return static_cast<devices::SelectorOperator>(i);
  }
  return devices::SelectorOperator::In;
}

std::vector<devices::NodeRequirement> requirements(Value term, std::string_view key,
                                                   FieldReader& fields) {
  std::vector<devices::NodeRequirement> made;
  for (Value item : fields.list(term, key).items()) {
    made.push_back(
        {text(item, "key", fields), operator_of(item, fields), texts(item, "values", fields)});
  }
  return made;
}

}  // namespace

std::string text(Value parent, std::string_view key, FieldReader& fields) {
  return std::string(fields.string(parent, key));
}

std::vector<std::string> texts(Value parent, std::string_view key, FieldReader& fields) {
  std::vector<std::string> made;
  for (Value item : fields.list(parent, key).items()) {
    if (!item.is(ValueKind::String)) fields.error(item, describe(item), "a string");
    made.emplace_back(item.text());
  }
  return made;
}

int64_t integer(Value value, int64_t otherwise, FieldReader& fields) {
  if (value.absent()) return otherwise;
  std::string_view digits = value.text();
  int64_t number = 0;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  bool whole =
      value.is(ValueKind::Number) && error == std::errc() && end == digits.data() + digits.size();
  if (whole) return number;
  fields.error(value, describe(value), "a whole number of 64 bits");
  return otherwise;
}

devices::Quantity quantity(Value value, FieldReader& fields) {
  if (value.absent()) return {};
  std::optional<devices::Quantity> parsed;
  bool scalar = value.is(ValueKind::String) || value.is(ValueKind::Number);
  if (scalar) parsed = devices::Quantity::parse(value.text());
  if (!parsed) fields.error(value, describe(value), "a quantity below 10^29");
  return parsed.value_or(devices::Quantity());
}

devices::Amounts amounts(Value map, FieldReader& fields) {
  devices::Amounts made;
  for (const Value::Member& member : map.members()) {
    Value amount = member.value.is(ValueKind::Object) ? member.value["value"] : member.value;
    made.emplace_back(member.key, quantity(amount, fields));
  }
  return made;
}

devices::Taint taint(Value value, FieldReader& fields) {
  return {text(value, "key", fields), text(value, "value", fields), text(value, "effect", fields)};
}

std::vector<devices::Toleration> tolerations(Value parent, FieldReader& fields) {
  std::vector<devices::Toleration> made;
  for (Value item : fields.list(parent, "tolerations").items()) {
    devices::Toleration toleration;
    toleration.key = text(item, "key", fields);
    toleration.op = fields.word(item, "operator", kTolerationOperators);
    if (toleration.op.empty()) toleration.op = "Equal";
    toleration.value = text(item, "value", fields);
    toleration.effect = text(item, "effect", fields);
    Value seconds = item["tolerationSeconds"];
    if (!seconds.absent()) toleration.seconds = integer(seconds, 0, fields);
    made.push_back(std::move(toleration));
  }
  return made;
}

std::vector<devices::NodeTerm> node_terms(Value selector, FieldReader& fields) {
  std::vector<devices::NodeTerm> made;
  for (Value term : fields.list(selector, "nodeSelectorTerms").items()) {
    made.push_back({requirements(term, "matchExpressions", fields),
                    requirements(term, "matchFields", fields)});
  }
  return made;
}

std::vector<devices::Config> configs(Value parent, FieldReader& fields) {
  std::vector<devices::Config> made;
  for (Value item : fields.list(parent, "config").items()) {
    devices::Config config;
    config.requests = texts(item, "requests", fields);
    config.of_class = item["source"].text() == "FromClass";
    Value opaque = fields.object(item, "opaque");
    config.driver = text(opaque, "driver", fields);
    if (opaque["parameters"].exists()) config.parameters = json_text(opaque["parameters"]);
    made.push_back(std::move(config));
  }
  return made;
}

}  // namespace trellis::device_parts
