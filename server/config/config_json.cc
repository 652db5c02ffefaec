#include "server/config/config_json.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>
#include <string_view>
#include <utility>

#include "server/config/config_description.h"
#include "server/config/known_names.h"
#include "server/document/duration.h"

namespace trellis {
namespace {

using Json = nlohmann::ordered_json;

Json plugins_json(const Config& config) {
  Json plugins = Json::object();
  std::vector<std::string_view> built = built_plugins();
  for (std::string_view known : known_plugins()) {
    std::string name(known);
    bool is_built = std::find(built.begin(), built.end(), known) != built.end();
    if (!is_built && !config.plugins.contains(name)) continue;
    PluginConfig plugin = config.plugin(name);
    plugins[name] = {{"enabled", plugin.enabled}, {"weight", plugin.weight}};
    if (plugin.arguments_json != "{}") {
      plugins[name]["arguments"] = Json::parse(plugin.arguments_json, nullptr, false);
    }
  }
  return plugins;
}

template <class Value>
Json json_of(const Value& value, form::Plain /*form*/) {
  return value;
}
Json json_of(int64_t value, form::AtLeast /*form*/) { return value; }
Json json_of(int64_t value, form::Counted form) { return value / form.unit; }
Json json_of(int64_t value, form::Limit /*form*/) { return value < 0 ? Json() : Json(value); }
Json json_of(TimeUs value, form::Duration /*form*/) { return format_duration(value); }
Json json_of(const DailyWindow& value, form::Daily /*form*/) { return to_string(value); }
template <class Enum, size_t N>
Json json_of(Enum value, std::span<const form::Choice<Enum>, N> choices) {
  return form::word_of(value, choices);
}

class JsonMaker {
 public:
  void about(std::string_view /*text*/) {}
  template <class Place, class Form>
  void field(std::string_view key, const Place& place, Form form, std::string_view /*comment*/) {
    made_[std::string(key)] = json_of(place, form);
  }
  template <class Body>
  void group(std::string_view key, std::string_view /*comment*/, Body body) {
    JsonMaker inner;
    body(inner);
    made_[std::string(key)] = inner.take();
  }
  void actions(std::string_view key, const std::vector<std::string>& actions) {
    made_[std::string(key)] = actions;
  }
  void plugins(std::string_view key, const Config& config) {
    made_[std::string(key)] = plugins_json(config);
  }
  void feature_gates(std::string_view key, const Config& config, std::string_view /*comment*/) {
    Json gates = Json::object();
    for (const auto& [name, on] : config.kueue_feature_gates) gates[name] = on;
    made_[std::string(key)] = std::move(gates);
  }
  Json take() { return std::move(made_); }

 private:
  Json made_ = Json::object();
};

Json as_json(Config config) {
  JsonMaker maker;
  describe_config(maker, config);
  return maker.take();
}

// Invalid UTF-8 is replaced, since names from a command line may be any bytes.
std::string json_text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::string config_json(const Config& config) { return json_text_of(as_json(config)); }

std::string usage_json(const Config& config) {
  return json_text_of(Json(config.queues.past_usage));
}

std::string node_numbers_json(const Config& config) {
  return json_text_of(Json(config.node_numbers));
}

std::vector<std::string> config_differences(const Config& config) {
  Json ours = as_json(config);
  Json defaults = as_json(Config());
  std::vector<std::string> lines;
  for (const auto& [key, value] : ours.items()) {
    if (!value.is_object()) {
      if (value != defaults[key]) lines.push_back(key + ": " + json_text_of(value));
      continue;
    }
    for (const auto& [inner, member] : value.items()) {
      auto found = defaults[key].find(inner);
      if (found != defaults[key].end() && *found == member) continue;
      lines.push_back(
          std::string(key).append(".").append(inner).append(": ").append(json_text_of(member)));
    }
  }
  return lines;
}

}  // namespace trellis
