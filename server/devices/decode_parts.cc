#include "server/devices/decode_parts.h"

#include <charconv>
#include <utility>

#include "server/document/json_text.h"

namespace trellis::device_parts {
namespace {

devices::SelectorOperator operator_of(std::string_view text) {
  using Operator = devices::SelectorOperator;
  if (text == "NotIn") return Operator::NotIn;
  if (text == "Exists") return Operator::Exists;
  if (text == "DoesNotExist") return Operator::DoesNotExist;
  if (text == "Gt") return Operator::Gt;
  return text == "Lt" ? Operator::Lt : Operator::In;
}

std::vector<devices::NodeRequirement> requirements(Value list) {
  std::vector<devices::NodeRequirement> made;
  for (Value item : list.items()) {
    made.push_back(
        {text(item["key"]), operator_of(item["operator"].text()), texts(item["values"])});
  }
  return made;
}

}  // namespace

std::string text(Value value) { return std::string(value.text()); }

std::vector<std::string> texts(Value list) {
  std::vector<std::string> made;
  for (Value item : list.items()) made.push_back(text(item));
  return made;
}

int64_t integer(Value value, int64_t otherwise) {
  std::string_view digits = value.text();
  int64_t number = 0;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  bool whole =
      value.is(ValueKind::Number) && error == std::errc() && end == digits.data() + digits.size();
  return whole ? number : otherwise;
}

devices::Quantity quantity(Value value) {
  return devices::Quantity::parse(value.text()).value_or(devices::Quantity());
}

devices::Amounts amounts(Value map) {
  devices::Amounts made;
  for (const Value::Member& member : map.members()) {
    Value amount = member.value.is(ValueKind::Object) ? member.value["value"] : member.value;
    made.emplace_back(member.key, quantity(amount));
  }
  return made;
}

devices::Taint taint(Value value) {
  return {text(value["key"]), text(value["value"]), text(value["effect"])};
}

std::vector<devices::Toleration> tolerations(Value list) {
  std::vector<devices::Toleration> made;
  for (Value item : list.items()) {
    devices::Toleration toleration;
    toleration.key = text(item["key"]);
    toleration.op = item["operator"].absent() ? "Equal" : text(item["operator"]);
    toleration.value = text(item["value"]);
    toleration.effect = text(item["effect"]);
    if (!item["tolerationSeconds"].absent()) {
      toleration.seconds = integer(item["tolerationSeconds"], 0);
    }
    made.push_back(std::move(toleration));
  }
  return made;
}

devices::NodeTerm node_term(Value term) {
  return {requirements(term["matchExpressions"]), requirements(term["matchFields"])};
}

std::vector<devices::NodeTerm> node_terms(Value selector) {
  std::vector<devices::NodeTerm> made;
  for (Value term : selector["nodeSelectorTerms"].items()) made.push_back(node_term(term));
  return made;
}

std::vector<devices::Config> configs(Value list) {
  std::vector<devices::Config> made;
  for (Value item : list.items()) {
    devices::Config config;
    config.requests = texts(item["requests"]);
    config.of_class = item["source"].text() == "FromClass";
    config.driver = text(item["opaque"]["driver"]);
    Value parameters = item["opaque"]["parameters"];
    if (parameters.exists()) config.parameters = json_text(parameters);
    made.push_back(std::move(config));
  }
  return made;
}

}  // namespace trellis::device_parts
