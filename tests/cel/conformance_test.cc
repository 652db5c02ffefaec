// What Kubernetes answers for device selectors: tests/conformance/dra/cel.jsonl.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "cel/expression.h"

namespace trellis::cel::conformance_test {
namespace {

using Json = nlohmann::json;

Value version_of(const Json& text) {
  return Value::semver(parse_semver(text.get<std::string>(), SemverForm::Strict).version);
}

Value attribute_of(const Json& attribute) {
  const std::string& kind = attribute.begin().key();
  const Json& content = attribute.begin().value();
  if (kind == "int") return Value::integer(content);
  if (kind == "bool") return Value::boolean(content);
  if (kind == "string") return Value::string(content);
  if (kind == "version") return version_of(content);
  List items;
  for (const Json& item : content) {
    items.push_back(attribute_of(Json{{kind.substr(0, kind.size() - 1), item}}));
  }
  return Value::list(std::move(items));
}

Json attribute_from(const Value& value) {
  switch (value.kind()) {
    case Kind::Int:
      return {{"int", value.int_value()}};
    case Kind::Bool:
      return {{"bool", value.is_true()}};
    case Kind::String:
      return {{"string", value.text()}};
    case Kind::Semver:
      return {{"version", value.semver().text()}};
    default:
      break;
  }
  Json list = Json::object();
  for (const Value& item : value.items()) {
    Json one = attribute_from(item);
    list[one.begin().key() + "s"].push_back(one.begin().value());
  }
  return list;
}

Device device_of(const Json& object) {
  Device device;
  device.driver = object.value("driver", "");
  DomainMap attributes(device.driver);
  DomainMap capacity(device.driver);
  Json named = object.value("attributes", Json::object());
  Json amounts = object.value("capacity", Json::object());
  for (const auto& [name, attribute] : named.items()) {
    if (!attribute.empty()) attributes.add(name, attribute_of(attribute));
  }
  for (const auto& [name, amount] : amounts.items()) {
    std::optional<Quantity> parsed = Quantity::parse(amount.at("value").get<std::string>());
    EXPECT_TRUE(parsed) << amount;
    if (parsed) capacity.add(name, Value::quantity(*parsed));
  }
  device.attributes = attributes.finish();
  device.capacity = capacity.finish();
  device.allows_many_allocations = object.value("allowMultipleAllocations", false);
  return device;
}

Json answer(const Json& input) {
  bool derived = input.value("derived", false);
  Expression expression =
      Expression::compile(input.at("expression").get<std::string>(),
                          derived ? Purpose::DerivedAttribute : Purpose::Selector);
  if (!expression.valid()) return {{"error", "compile"}};
  Device device = device_of(input.at("device"));
  if (derived) {
    Value value = expression.value(device);
    if (value.failed()) return {{"error", "runtime"}};
    return {{"value", attribute_from(value)}};
  }
  Match match = expression.matches(device);
  if (!match.error.empty()) return {{"error", "runtime"}};
  return {{"matches", match.matches}};
}

TEST(CelConformance, EqualsKubernetes) {
  std::ifstream file(TRELLIS_SOURCE_DIR "/tests/conformance/dra/cel.jsonl");
  size_t cases = 0;
  for (std::string text; std::getline(file, text); ++cases) {
    Json input = Json::parse(text);
    Json expected = input.at("expect");
    for (const char* unused : {"message", "cost", "worstCost", "admission"}) expected.erase(unused);
    EXPECT_EQ(answer(input), expected) << input.at("name") << "\n" << input.at("expression");
  }
  EXPECT_EQ(cases, 486);
}

}  // namespace
}  // namespace trellis::cel::conformance_test
