#include "server/devices/allocation_output.h"

#include <cstdint>
#include <optional>
#include <string>

#include "server/document/json_text.h"

namespace trellis {
namespace {

// Writes members of objects and items of lists with their commas.
class Output {
 public:
  void open(char bracket) {
    text_ += bracket;
    first_ = true;
  }
  void close(char bracket) {
    text_ += bracket;
    first_ = false;
  }
  void item() {
    if (!first_) text_ += ',';
    first_ = false;
  }
  void key(std::string_view name) {
    item();
    append_json_string(text_, name);
    text_ += ':';
  }
  void string(std::string_view value) { append_json_string(text_, value); }
  void raw(std::string_view value) { text_ += value; }
  void field(std::string_view name, std::string_view value) {
    key(name);
    string(value);
  }
  void optional_field(std::string_view name, std::string_view value) {
    if (!value.empty()) field(name, value);
  }
  void strings(std::string_view name, const std::vector<std::string>& values) {
    if (values.empty()) return;
    key(name);
    open('[');
    for (const std::string& value : values) {
      item();
      string(value);
    }
    close(']');
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
  bool first_ = true;
};

// Amounts of bytes as people and drivers write them.
std::string amount_text(devices::Quantity amount) {
  constexpr std::string_view kUnits = "KMGTPE";
  constexpr int64_t kStep = 1024;
  std::optional<int64_t> units = amount.units();
  size_t powers = 0;
  while (units && *units > 0 && *units % kStep == 0 && powers < kUnits.size()) {
    *units /= kStep;
    ++powers;
  }
  // A thousand and something may be a number of parts.
  if (powers < 2) return amount.text();
  return std::to_string(*units) + kUnits[powers - 1] + "i";
}

std::string_view operator_name(devices::SelectorOperator op) {
  using Operator = devices::SelectorOperator;
  switch (op) {
    case Operator::In:
      return "In";
    case Operator::NotIn:
      return "NotIn";
    case Operator::Exists:
      return "Exists";
    case Operator::DoesNotExist:
      return "DoesNotExist";
    case Operator::Gt:
      return "Gt";
    case Operator::Lt:
      return "Lt";
  }
  return "";
}

// A UUID of version 4 in form; its digits follow from the seed.
std::string share_id(std::string_view seed, size_t number) {
  std::string id;
  uint64_t state = 1469598103934665603U;
  auto mix = [&](uint64_t byte) { state = (state ^ byte) * 1099511628211U; };
  for (char c : seed) mix(static_cast<unsigned char>(c));
  mix(number);
  static constexpr std::string_view kDigits = "0123456789abcdef";
  for (size_t i = 0; i < 32; ++i) {
    mix(i);
    char digit = kDigits[(state >> 32U) & 15U];
    if (i == 12) digit = '4';
    if (i == 16) digit = kDigits[8 + ((state >> 32U) & 3U)];
    if (i == 8 || i == 12 || i == 16 || i == 20) id += '-';
    id += digit;
  }
  return id;
}

void write_tolerations(Output& out, const std::vector<devices::Toleration>& tolerations) {
  if (tolerations.empty()) return;
  out.key("tolerations");
  out.open('[');
  for (const devices::Toleration& toleration : tolerations) {
    out.item();
    out.open('{');
    out.optional_field("key", toleration.key);
    out.optional_field("operator", toleration.op);
    out.optional_field("value", toleration.value);
    out.optional_field("effect", toleration.effect);
    if (toleration.seconds) {
      out.key("tolerationSeconds");
      out.raw(std::to_string(*toleration.seconds));
    }
    out.close('}');
  }
  out.close(']');
}

void write_result(Output& out, const devices::Result& result, const std::string& share) {
  out.item();
  out.open('{');
  out.field("request", result.request);
  out.field("driver", result.id.driver);
  out.field("pool", result.id.pool);
  out.field("device", result.id.device);
  if (result.admin_access) {
    out.key("adminAccess");
    out.raw("true");
  }
  write_tolerations(out, result.tolerations);
  if (result.shared) {
    out.field("shareID", share);
    if (!result.consumed.empty()) {
      out.key("consumedCapacity");
      out.open('{');
      for (const auto& [name, amount] : result.consumed) out.field(name, amount_text(amount));
      out.close('}');
    }
  }
  out.strings("bindingConditions", result.binding_conditions);
  out.strings("bindingFailureConditions", result.binding_failures);
  out.close('}');
}

void write_config(Output& out, const devices::Config& config) {
  out.item();
  out.open('{');
  out.field("source", config.of_class ? "FromClass" : "FromClaim");
  out.strings("requests", config.requests);
  out.key("opaque");
  out.open('{');
  out.field("driver", config.driver);
  if (!config.parameters.empty()) {
    out.key("parameters");
    out.raw(config.parameters);
  }
  out.close('}');
  out.close('}');
}

void write_requirements(Output& out, std::string_view name,
                        const std::vector<devices::NodeRequirement>& requirements) {
  if (requirements.empty()) return;
  out.key(name);
  out.open('[');
  for (const devices::NodeRequirement& requirement : requirements) {
    out.item();
    out.open('{');
    out.field("key", requirement.key);
    out.field("operator", operator_name(requirement.op));
    out.strings("values", requirement.values);
    out.close('}');
  }
  out.close(']');
}

}  // namespace

std::string allocation_json(const devices::Allocation& allocation, std::string_view share_seed) {
  Output out;
  out.open('{');
  out.key("devices");
  out.open('{');
  if (!allocation.results.empty()) {
    out.key("results");
    out.open('[');
    for (size_t i = 0; i < allocation.results.size(); ++i) {
      write_result(out, allocation.results[i], share_id(share_seed, i));
    }
    out.close(']');
  }
  if (!allocation.config.empty()) {
    out.key("config");
    out.open('[');
    for (const devices::Config& config : allocation.config) write_config(out, config);
    out.close(']');
  }
  out.close('}');
  if (allocation.nodes) {
    out.key("nodeSelector");
    out.open('{');
    out.key("nodeSelectorTerms");
    out.open('[');
    out.item();
    out.open('{');
    write_requirements(out, "matchExpressions", allocation.nodes->labels);
    write_requirements(out, "matchFields", allocation.nodes->names);
    out.close('}');
    out.close(']');
    out.close('}');
  }
  out.close('}');
  return out.take();
}

}  // namespace trellis
